"""One sided return."""

TYPES = "V"


def half(a):
    if a > 1:
        return a / 2


def f(x):
    for i in range(len(x)):
        x[i] = half(x[i])


EXPECTED = """
bad_one_sided_return.py:7: only one side of this `if` returns a value
    7 |  if a > 1:
      |     ^^^^^
  hint: return something in both cases
"""
