"""Array view returned."""

TYPES = "V"


def f(x):
    return x[1:]


EXPECTED = """
bad_array_view_returned.py:7: returning a view of an array is not supported
    7 |  return x[1:]
      |  ^^^^^^^^^^^^
  hint: return a copy: x[…].copy()
"""
