"""A name that only the iterations of a loop give a value."""

TYPES = "V"


def f(x):
    i = 0
    while x[i] < 1:
        last = x[i]
        i += 1
    x[0] = last


EXPECTED = """
bad_value_only_in_while.py:11: `last` has a value only if the loop in line 8 has an iteration
   11 |  x[0] = last
      |         ^^^^
  hint: give `last` a value before the loop
"""
