"""A whole array in a data-dependent loop."""

TYPES = "VV"


def f(x, y):
    n = 0
    while x[n] < 1:
        y[:] = y * x
        n += 1


EXPECTED = """
bad_while_with_whole_arrays.py:8: whole arrays are computed in a loop whose end depends on data
    8 |  while x[n] < 1:
      |  ^^^^^^^^^^^^^^^
  what such a loop executes are numbers and elements, one by one
  hint: write loops over their elements
"""
