"""Value after loop."""

TYPES = "VV"


def f(x, y):
    for i in range(len(x)):
        t = x[i] * 2
    y[0] = t


EXPECTED = """
bad_value_after_loop.py:9: `t` is used after the loop in line 7 that sets it in every iteration
    9 |  y[0] = t
      |         ^
  hint: give `t` a value before the loop, or compute the last one after it
"""
