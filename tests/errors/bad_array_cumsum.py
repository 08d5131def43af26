"""Array cumsum."""

import numpy as np

TYPES = "M"


def f(x):
    return np.cumsum(x)


EXPECTED = """
bad_array_cumsum.py:9: `cumsum` of an array with several axes needs one of them
    9 |  return np.cumsum(x)
      |         ^^^^^^^^^^^^
  hint: give axis=…
"""
