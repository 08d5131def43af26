"""Array ravel written."""

TYPES = "V"


def f(x):
    y = x.ravel()
    y[0] = 1.0
    return y


EXPECTED = """
bad_array_ravel_written.py:8: cannot assign to elements of `y`: it may be a copy
    8 |  y[0] = 1.0
      |  ^^^^
  NumPy makes a view or a copy of it, by the array's strides
  hint: assign to the array itself
"""
