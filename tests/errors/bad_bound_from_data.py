"""Bound from data."""

TYPES = "VI"


def f(x, counts):
    for i in range(counts[0]):
        x[i] = 1


EXPECTED = """
bad_bound_from_data.py:7: bound `counts[0]` of the loop depends on data
    7 |  for i in range(counts[0]):
      |                 ^^^^^^^^^
"""
