"""Loop over array."""

TYPES = "VV"


def f(x, y):
    for value in x:
        y[0] += value


EXPECTED = """
bad_loop_over_array.py:7: only loops over range(…) are supported
    7 |  for value in x:
      |               ^
  hint: write for i in range(len(x))
"""
