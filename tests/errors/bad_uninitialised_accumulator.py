"""Uninitialised accumulator."""

# ruff: noqa: F821

TYPES = "VV"


def f(x, y):
    for i in range(len(x)):
        total += x[i]
    y[0] = total


EXPECTED = """
bad_uninitialised_accumulator.py:10: `total` is used before it has a value
   10 |  total += x[i]
      |  ^^^^^
"""
