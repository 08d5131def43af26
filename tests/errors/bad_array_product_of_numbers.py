"""Array product of numbers."""

TYPES = "V"


def f(x):
    return x @ 2


EXPECTED = """
bad_array_product_of_numbers.py:7: a number is no operand of `@`
    7 |  return x @ 2
      |         ^^^^^
  hint: use *
"""
