"""Negated bool."""

TYPES = "VL"


def f(y, flags):
    for i in range(len(y)):
        y[i] = -flags[i]


EXPECTED = """
bad_negated_bool.py:8: `neg` is not defined for bool
    8 |  y[i] = -flags[i]
      |         ^^^^^^^^^
"""
