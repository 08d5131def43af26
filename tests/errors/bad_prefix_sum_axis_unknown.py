"""Prefix sum along an axis that depends on the call."""

import numpy as np

TYPES = "Mn"


def f(x, n):
    return np.cumsum(x, axis=n)


EXPECTED = """
bad_prefix_sum_axis_unknown.py:9: `n` has to be a constant integer, or a tuple of them
    9 |  return np.cumsum(x, axis=n)
      |                           ^
  hint: make it part of the code: static=("n",)
"""
