"""Array updated type."""

TYPES = "I"


def f(x):
    x += 0.5


EXPECTED = """
bad_array_updated_type.py:7: an array of int64 cannot take in float64
    7 |  x += 0.5
      |  ^^^^^^^^
  hint: convert it with astype
"""
