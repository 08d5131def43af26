"""The length of the result depends on data."""

import numpy as np

TYPES = "I"


def f(x):
    return np.bincount(x)


EXPECTED = """
bad_array_bincount.py:9: `np.bincount` is not supported
    9 |  return np.bincount(x)
      |         ^^^^^^^^^^^^^^
  how long its result is depends on data
  hint: make an array of counts, and np.add.at(counts, …, 1)
"""
