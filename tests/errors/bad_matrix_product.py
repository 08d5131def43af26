"""Matrix product."""

TYPES = "MMM"


def f(c, a, b):
    c = a @ b
    return c


EXPECTED = """
bad_matrix_product.py:7: `@` of whole arrays is not supported here
    7 |  c = a @ b
      |      ^^^^^
  hint: write the loops
"""
