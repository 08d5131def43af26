"""Slice of array."""

TYPES = "VV"


def f(y, x):
    for i in range(len(y)):
        y[i] = x[1:3]


EXPECTED = """
bad_slice_of_array.py:8: an array is assigned to one element, `y[i]`
    8 |  y[i] = x[1:3]
      |  ^^^^
  hint: assign a number
"""
