"""While loop."""

TYPES = "V"


def f(x):
    i = 0
    while i < 3:
        i += 1


EXPECTED = """
bad_while_loop.py:8: a while loop is not supported in a compiled function
    8 |  while i < 3:
      |  ^^^^^^^^^^^^
  hint: the number of iterations has to be known before: write for … in range(…)
"""
