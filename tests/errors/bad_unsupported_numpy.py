"""Unsupported numpy."""

import numpy as np

TYPES = "V"


def f(x):
    for i in range(len(x)):
        x[i] = np.median(x[i])


EXPECTED = """
bad_unsupported_numpy.py:10: `np.median` of a number is not supported
   10 |  x[i] = np.median(x[i])
      |         ^^^^^^^^^^^^^^^
  hint: give it an array
"""
