"""Break in loop."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        if x[i] > 0:
            break


EXPECTED = """
bad_break_in_loop.py:9: break is not supported in a compiled function
    9 |  break
      |  ^^^^^
  hint: all iterations of a loop have to happen: use a condition in the body
"""
