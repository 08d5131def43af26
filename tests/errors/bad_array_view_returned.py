"""Array view returned."""

TYPES = "M"


def f(x):
    return x.reshape(-1)[1:]


EXPECTED = """
bad_array_view_returned.py:7: returning this view of an array is not supported
    7 |  return x.reshape(-1)[1:]
      |  ^^^^^^^^^^^^^^^^^^^^^^^^
  hint: return a copy: x[…].copy()
"""
