"""Values are added at places that are no integers."""

import numpy as np

TYPES = "VVV"


def f(h, x, w):
    np.add.at(h, x, w)


EXPECTED = """
bad_array_float_subscript.py:9: `x` is no array of subscripts
    9 |  np.add.at(h, x, w)
      |               ^
  hint: give integers
"""
