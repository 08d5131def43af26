"""A new axis is no subscript."""

import numpy as np

TYPES = "V"


def f(x):
    return x[0, np.newaxis, 1] * 1


EXPECTED = """
bad_newaxis_too_many.py:9: too many subscripts: the array has 1 dimension
    9 |  return x[0, np.newaxis, 1] * 1
      |         ^^^^^^^^^^^^^^^^^^^
"""
