"""Array reshape joined, and written to."""

TYPES = "M"


def f(M):
    y = M.reshape(-1)
    y[0] = 1.0


EXPECTED = """
bad_array_reshape_joined.py:8: cannot assign to elements of `y`: it may be a copy
    8 |  y[0] = 1.0
      |  ^^^^
  NumPy makes a view or a copy of it, by the array's strides
  hint: assign to the array itself
"""
