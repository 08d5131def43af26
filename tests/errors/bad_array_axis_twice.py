"""Array axis twice."""

TYPES = "M"


def f(x):
    return x.sum(axis=(0, 0))


EXPECTED = """
bad_array_axis_twice.py:7: an axis is named twice
    7 |  return x.sum(axis=(0, 0))
      |         ^^^^^^^^^^^^^^^^^^
"""
