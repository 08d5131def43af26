"""Bound float."""

TYPES = "Va"


def f(x, a):
    for i in range(a):
        x[i] = 1


EXPECTED = """
bad_bound_float.py:7: a bound of range is float32, not an integer
    7 |  for i in range(a):
      |                 ^
"""
