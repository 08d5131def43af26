"""Another array after each iteration."""

TYPES = "VV"


def f(x, y):
    n = 0
    while n < 3:
        x, y = y, x
        x[n] = 1
        n += 1


EXPECTED = """
bad_array_renamed_in_while.py:8: `y` stands for another array after an iteration
    8 |  while n < 3:
      |  ^^^^^^^^^^^^
  the one of before is written, too
  hint: copy elements instead of names
"""
