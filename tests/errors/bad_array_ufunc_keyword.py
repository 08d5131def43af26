"""Array ufunc keyword."""

import numpy as np

TYPES = "VV"


def f(x, y):
    return np.add(x, y, casting="unsafe")


EXPECTED = """
bad_array_ufunc_keyword.py:9: argument `casting` of `np.add` is not supported
    9 |  return np.add(x, y, casting="unsafe")
      |                              ^^^^^^^^
"""
