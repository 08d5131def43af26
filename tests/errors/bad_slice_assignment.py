"""Slice assignment."""

TYPES = "V"


def f(x):
    x[:] = 0


EXPECTED = """
bad_slice_assignment.py:7: slices are not supported
    7 |  x[:] = 0
      |    ^
  hint: write a loop over the elements
"""
