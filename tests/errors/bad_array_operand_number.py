"""Array operand number."""

TYPES = "Va"


def f(x, a):
    return x @ a


EXPECTED = """
bad_array_operand_number.py:7: a number is no operand of `@`
    7 |  return x @ a
      |         ^^^^^
  hint: use *
"""
