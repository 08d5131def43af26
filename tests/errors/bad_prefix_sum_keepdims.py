"""Prefix sum with an option of reductions."""

import numpy as np

TYPES = "M"


def f(x):
    return np.cumsum(x, axis=0, keepdims=True)


EXPECTED = """
bad_prefix_sum_keepdims.py:9: argument `keepdims` of `cumsum` is not supported
    9 |  return np.cumsum(x, axis=0, keepdims=True)
      |                                       ^^^^
"""
