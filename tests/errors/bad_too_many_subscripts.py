"""Too many subscripts."""

TYPES = "VV"


def f(y, x):
    for i in range(len(y)):
        y[i] = x[i, 0]


EXPECTED = """
bad_too_many_subscripts.py:8: too many subscripts: `x` has 1 dimension
    8 |  y[i] = x[i, 0]
      |         ^^^^^^^
"""
