"""Subscript quotient."""

TYPES = "VV"


def f(y, x):
    for i in range(len(y)):
        y[i] = x[i // 2]


EXPECTED = """
bad_subscript_quotient.py:8: subscript `i // 2` of `x` is not affine
    8 |  y[i] = x[i // 2]
      |           ^^^^^^
  only sums of constant multiples of loop indices and of sizes are
"""
