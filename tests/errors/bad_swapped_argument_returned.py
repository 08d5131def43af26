"""Swapped argument returned."""

TYPES = "VVn"


def f(x, y, n):
    for _ in range(n):
        for i in range(len(x)):
            y[i] = x[i] / 2
        x, y = y, x
    return x


EXPECTED = """
bad_swapped_argument_returned.py:11: `x` stands for one array or another, depending on the number of iterations
   11 |  return x
      |         ^
  hint: swap arrays made in the function, such as copies of the arguments, and return those
"""
