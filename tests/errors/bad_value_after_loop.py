"""Value after a loop that an outer one decides the length of."""

TYPES = "VV"


def f(x, y):
    for i in range(len(x)):
        for j in range(i):
            t = x[j] * 2
        y[i] = t


EXPECTED = """
bad_value_after_loop.py:10: `t` is used after the loop in line 8 that sets it in every iteration
   10 |  y[i] = t
      |         ^
  hint: give `t` a value before the loop, or compute the last one after it
"""
