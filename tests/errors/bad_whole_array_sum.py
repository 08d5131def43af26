"""Whole array sum."""

TYPES = "VV"


def f(y, x):
    for i in range(len(y)):
        y[i] = sum(x)


EXPECTED = """
bad_whole_array_sum.py:8: `sum` of a whole array is not supported
    8 |  y[i] = sum(x)
      |         ^^^^^^
  hint: write a loop
"""
