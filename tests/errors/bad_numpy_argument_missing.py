"""A function of NumPy's without one of its arguments."""

import numpy as np

TYPES = "M"


def f(x):
    return np.matvec(x)


EXPECTED = """
bad_numpy_argument_missing.py:9: `np.matvec` is called without its argument `x2`
    9 |  return np.matvec(x)
      |         ^^^^^^^^^^^^
  it takes x1, x2, of shapes (m,n),(n)
"""
