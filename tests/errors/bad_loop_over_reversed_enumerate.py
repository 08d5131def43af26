"""What is no sequence has no end to begin at."""

TYPES = "VV"


def f(x, y):
    for i, v in reversed(enumerate(x)):
        y[i] = v


EXPECTED = """
bad_loop_over_reversed_enumerate.py:7: `enumerate` cannot be reversed, in Python neither
    7 |  for i, v in reversed(enumerate(x)):
      |                       ^^^^^^^^^^^^
"""
