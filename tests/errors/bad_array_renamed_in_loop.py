"""Array renamed in loop."""

TYPES = "VVn"


def f(x, y, n):
    for _ in range(n):
        for i in range(len(x)):
            y[i] = x[i] / 2
        x = y


EXPECTED = """
bad_array_renamed_in_loop.py:7: `x` stands for another array after an iteration
    7 |  for _ in range(n):
      |  ^^^^^^^^^^^^^^^^^^
  it is one that others know, too
  hint: copy elements, or exchange the arrays: x, y = y, x
"""
