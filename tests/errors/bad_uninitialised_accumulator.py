"""Uninitialised accumulator."""

TYPES = "VV"


def f(x, y):
    for i in range(len(x)):
        total += x[i]
    y[0] = total


EXPECTED = """
bad_uninitialised_accumulator.py:8: `total` is used before it has a value
    8 |  total += x[i]
      |  ^^^^^
"""
