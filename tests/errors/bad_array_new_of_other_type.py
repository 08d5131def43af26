"""An array of integers becomes one of floats in the first iteration."""

TYPES = "In"


def f(x, n):
    y = x.copy()
    for _ in range(n):
        y = y * 0.5
    return y


EXPECTED = """
bad_array_new_of_other_type.py:8: `y` stands for another array after an iteration
    8 |  for _ in range(n):
      |  ^^^^^^^^^^^^^^^^^^
  it is of int64 before, and of float64 then
  hint: copy elements, or exchange the arrays: x, y = y, x
"""
