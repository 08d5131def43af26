"""Array axis."""

TYPES = "V"


def f(x):
    return x.sum(axis=1)


EXPECTED = """
bad_array_axis.py:7: axis 1 is out of bounds for an array of 1 dimension
    7 |  return x.sum(axis=1)
      |         ^^^^^^^^^^^^^
"""
