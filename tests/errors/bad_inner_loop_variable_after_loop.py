"""The variable of an inner loop hides a value from before."""

TYPES = "VV"


def f(x, y):
    i = 5
    for _ in range(3):
        for i in range(x.shape[0]):
            y[i] += x[i]
    y[0] = i


EXPECTED = """
bad_inner_loop_variable_after_loop.py:11: `i` is used, and is the variable of a loop inside of the loop in line 8
   11 |  y[0] = i
      |         ^
  hint: give the two names of their own
"""
