"""Value on one side."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        if x[i] > 0:
            t = 1.0
        x[i] = t


EXPECTED = """
bad_value_on_one_side.py:10: `t` has a value only on one side of the `if` in line 8
   10 |  x[i] = t
      |         ^
  hint: give `t` a value before the if
"""
