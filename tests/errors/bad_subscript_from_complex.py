"""A subscript is computed from complex numbers."""

TYPES = "VVZ"


def f(y, x, index):
    for i in range(len(y)):
        y[i] = x[int(index[i].real)]


EXPECTED = """
bad_subscript_from_complex.py:8: subscript `int(index[i].real)` of `x` is computed from complex numbers
    8 |  y[i] = x[int(index[i].real)]
      |           ^^^^^^^^^^^^^^^^^^
  hint: compute it first, into an array of integers
"""
