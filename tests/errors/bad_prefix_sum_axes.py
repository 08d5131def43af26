"""Prefix sum over several axes."""

import numpy as np

TYPES = "M"


def f(x):
    return np.cumsum(x, axis=(0, 1))


EXPECTED = """
bad_prefix_sum_axes.py:9: `cumsum` of an array with several axes needs one of them
    9 |  return np.cumsum(x, axis=(0, 1))
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: give axis=…
"""
