"""Integer too large."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        x[i] = 100000000000000000000


EXPECTED = """
bad_integer_too_large.py:8: the integer 100000000000000000000 does not fit into 64 bits
    8 |  x[i] = 100000000000000000000
      |         ^^^^^^^^^^^^^^^^^^^^^
"""
