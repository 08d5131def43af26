"""Slice of array."""

TYPES = "VV"


def f(y, x):
    for i in range(len(y)):
        y[i] = x[1:3]


EXPECTED = """
bad_slice_of_array.py:8: slices are not supported
    8 |  y[i] = x[1:3]
      |           ^^^
  hint: write a loop over the elements
"""
