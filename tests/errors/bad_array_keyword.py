"""Array keyword."""

import numpy as np

TYPES = "V"


def f(x):
    return np.sum(x, where=x > 0)


EXPECTED = """
bad_array_keyword.py:9: argument `where` of `sum` is not supported
    9 |  return np.sum(x, where=x > 0)
      |                         ^^^^^
"""
