"""Array ufunc arguments."""

import numpy as np

TYPES = "VV"


def f(x, y):
    return np.sqrt(x, y, x)


EXPECTED = """
bad_array_ufunc_arguments.py:9: `np.sqrt` with 3 arguments is not supported
    9 |  return np.sqrt(x, y, x)
      |         ^^^^^^^^^^^^^^^^
"""
