"""A method without its parentheses."""

TYPES = "V"


def f(x):
    return x.sum + 1


EXPECTED = """
bad_method_not_called.py:7: `x.sum` is a method
    7 |  return x.sum + 1
      |         ^^^^^
  hint: call it
"""
