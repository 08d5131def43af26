"""Array expression updated."""

TYPES = "V"


def f(x):
    (x * 2)[0] = 1


EXPECTED = """
bad_array_expression_updated.py:7: cannot assign to elements of `x * 2`: it is an expression
    7 |  (x * 2)[0] = 1
      |  ^^^^^^^^^^
"""
