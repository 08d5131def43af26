"""Loop variable after loop."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        x[i] = 0
    x[0] = i


EXPECTED = """
bad_loop_variable_after_loop.py:9: loop variable `i` is used after its loop
    9 |  x[0] = i
      |         ^
  hint: compute it from the bounds of the loop
"""
