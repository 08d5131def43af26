"""Array invert."""

TYPES = "V"


def f(x):
    return ~x


EXPECTED = """
bad_array_invert.py:7: `invert` is not defined for float32
    7 |  return ~x
      |         ^^
"""
