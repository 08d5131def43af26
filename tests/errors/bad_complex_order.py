"""Complex order."""

TYPES = "ZZ"


def f(x, y):
    for i in range(len(x)):
        x[i] = x[i] if x[i] < y[i] else y[i]


EXPECTED = """
bad_complex_order.py:8: complex numbers have no order
    8 |  x[i] = x[i] if x[i] < y[i] else y[i]
      |                 ^^^^^^^^^^^
  hint: compare their .real, .imag or abs()
"""
