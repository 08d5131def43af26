"""Subscript product."""

TYPES = "VVn"


def f(y, x, n):
    for i in range(len(y)):
        y[i] = x[i * n]


EXPECTED = """
bad_subscript_product.py:8: subscript `i * n` of `x` is not affine
    8 |  y[i] = x[i * n]
      |           ^^^^^
  only sums of constant multiples of loop indices and of sizes are
"""
