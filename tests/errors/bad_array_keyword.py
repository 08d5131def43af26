"""Array keyword."""

import numpy as np

TYPES = "V"


def f(x):
    return np.sum(x, keep=True)


EXPECTED = """
bad_array_keyword.py:9: argument `keep` of `sum` is not supported
    9 |  return np.sum(x, keep=True)
      |                        ^^^^
"""
