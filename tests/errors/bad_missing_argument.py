"""Missing argument."""

TYPES = "V"


def scale(a, b):
    return a * b


def f(x):
    for i in range(len(x)):
        x[i] = scale(x[i])


EXPECTED = """
bad_missing_argument.py:12: `scale` is called without its argument `b`
   12 |  x[i] = scale(x[i])
      |         ^^^^^^^^^^^
"""
