"""Complex as float."""

TYPES = "ZV"


def f(x, y):
    for i in range(len(x)):
        y[i] = float(x[i])


EXPECTED = """
bad_complex_as_float.py:8: a complex number cannot be converted to a real one
    8 |  y[i] = float(x[i])
      |         ^^^^^^^^^^^
  hint: take its .real
"""
