"""Array out expression."""

import numpy as np

TYPES = "VV"


def f(x, y):
    np.add(x, y, out=x + y)


EXPECTED = """
bad_array_out_expression.py:9: out=`x + y` is no array
    9 |  np.add(x, y, out=x + y)
      |                   ^^^^^
  hint: give an array, or a view of one
"""
