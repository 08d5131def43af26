"""A subscript read from data is no integer."""

TYPES = "VVV"


def f(y, x, index):
    for i in range(len(y)):
        y[i] = x[index[i]]


EXPECTED = """
bad_subscript_from_float.py:8: subscript `index[i]` of `x` is float32, not an integer
    8 |  y[i] = x[index[i]]
      |           ^^^^^^^^
  hint: divide with //, or convert with int
"""
