"""Subscript float."""

TYPES = "VV"


def f(y, x):
    for i in range(len(y)):
        y[i] = x[i / 2]


EXPECTED = """
bad_subscript_float.py:8: subscript `i / 2` of `x` is float64, not an integer
    8 |  y[i] = x[i / 2]
      |           ^^^^^
  hint: divide with //, or convert with int
"""
