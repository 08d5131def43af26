"""Integers counted behind a write: if they are too large for what is made for them, plain Python cannot begin again."""

import numpy as np

TYPES = "IV"


def f(x, y):
    y[0] = 1.0
    return np.bincount(x)


EXPECTED = """
bad_array_bincount.py:10: data decide whether an integer is larger than all that there is room for
   10 |  return np.bincount(x)
      |         ^^^^^^^^^^^^^^
  plain Python does it, and cannot begin again where arguments have been written to
  hint: raise one of Python's exceptions with a text that is written out, or do this in a function of its own
"""
