"""Array method."""

TYPES = "V"


def f(x):
    x.sort()


EXPECTED = """
bad_array_method.py:7: method `sort` of an array is not supported
    7 |  x.sort()
      |  ^^^^^^^^
  hint: write a loop over its elements
"""
