"""An argument says which array of a tuple is meant."""

TYPES = "VVn"


def f(x, y, n):
    return (x, y)[n] * 2


EXPECTED = """
bad_tuple_by_number.py:7: a tuple needs a constant subscript
    7 |  return (x, y)[n] * 2
      |                ^
  hint: loop over it: for v in …, or over a range of constants
"""
