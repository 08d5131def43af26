"""Array rank."""

TYPES = "VM"


def f(y, x):
    y[:] = x


EXPECTED = """
bad_array_rank.py:7: a value with 2 axes does not fit into 1
    7 |  y[:] = x
      |  ^^^^
"""
