"""Complex into real."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        x[i] = x[i] * 1j


EXPECTED = """
bad_complex_into_real.py:8: a complex value does not fit into `x`, which is float32
    8 |  x[i] = x[i] * 1j
      |  ^^^^
  hint: take its .real
"""
