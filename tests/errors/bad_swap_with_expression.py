"""Swap with expression."""

TYPES = "VVn"


def f(x, y, n):
    for t in range(n):
        for i in range(1, x.shape[0] - 1):
            y[i] = x[i - 1] + x[i + 1]
        x, y = y, x + 0
    return x.sum()


EXPECTED = """
bad_swap_with_expression.py:7: `y` stands for another array after an iteration
    7 |  for t in range(n):
      |  ^^^^^^^^^^^^^^^^^^
  the one of before is written, too
  hint: copy elements, or exchange the arrays: x, y = y, x
"""
