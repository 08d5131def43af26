"""Unpacking."""

TYPES = "V"


def f(x):
    m, n = x.shape
    x[0] = m + n


EXPECTED = """
bad_unpacking.py:7: cannot unpack 1 value into 2 names
    7 |  m, n = x.shape
      |  ^^^^
"""
