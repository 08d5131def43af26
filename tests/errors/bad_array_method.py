"""Array method."""

TYPES = "V"


def f(x):
    x.tobytes()


EXPECTED = """
bad_array_method.py:7: method `tobytes` of an array is not supported
    7 |  x.tobytes()
      |  ^^^^^^^^^^^
  hint: write a loop over its elements
"""
