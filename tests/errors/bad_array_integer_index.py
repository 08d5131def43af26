"""Array integer index."""

TYPES = "VI"


def f(x, k):
    return x[k] * 2


EXPECTED = """
bad_array_integer_index.py:7: subscript `k` is an array
    7 |  return x[k] * 2
      |           ^
  which elements it means depends on data
  hint: write a loop over its elements
"""
