"""Step zero."""

TYPES = "V"


def f(x):
    for i in range(0, len(x), 0):
        x[i] = 1


EXPECTED = """
bad_step_zero.py:7: the step of the loop is 0
    7 |  for i in range(0, len(x), 0):
      |                            ^
"""
