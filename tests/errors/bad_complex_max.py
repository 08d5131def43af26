"""Complex max."""

TYPES = "ZZ"


def f(x, y):
    for i in range(len(x)):
        x[i] = max(x[i], y[i])


EXPECTED = """
bad_complex_max.py:8: complex numbers have no order
    8 |  x[i] = max(x[i], y[i])
      |         ^^^^^^^^^^^^^^^
  hint: compare their .real, .imag or abs()
"""
