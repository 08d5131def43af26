"""Complex bits."""

TYPES = "ZZ"


def f(x, y):
    for i in range(len(x)):
        x[i] = x[i] & y[i]


EXPECTED = """
bad_complex_bits.py:8: `and` is not defined for complex128 and complex128
    8 |  x[i] = x[i] & y[i]
      |         ^^^^^^^^^^^
"""
