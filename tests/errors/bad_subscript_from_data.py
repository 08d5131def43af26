"""Subscript from data."""

TYPES = "VVI"


def f(y, x, index):
    for i in range(len(y)):
        y[i] = x[index[i]]


EXPECTED = """
bad_subscript_from_data.py:8: subscript `index[i]` of `x` is not affine
    8 |  y[i] = x[index[i]]
      |           ^^^^^^^^
  it depends on data
"""
