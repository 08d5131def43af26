"""Array method."""

TYPES = "V"


def f(x):
    x.partition(2)


EXPECTED = """
bad_array_method.py:7: method `partition` of an array is not supported
    7 |  x.partition(2)
      |  ^^^^^^^^^^^^^^
  hint: write a loop over its elements
"""
