"""Array ufunc where."""

import numpy as np

TYPES = "VV"


def f(x, y):
    return np.add(x, y, where=x > 0)


EXPECTED = """
bad_array_ufunc_where.py:9: `where` without `out` leaves elements undefined
    9 |  return np.add(x, y, where=x > 0)
      |                            ^^^^^
  hint: give out=…
"""
