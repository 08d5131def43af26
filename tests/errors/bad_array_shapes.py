"""Array shapes."""

TYPES = "V"


def f(x):
    return x[1:] + x


EXPECTED = """
bad_array_shapes.py:7: axes of length x.shape[0] - 1 and x.shape[0] do not have the same length
    7 |  return x[1:] + x
      |         ^^^^^^^^^
"""
