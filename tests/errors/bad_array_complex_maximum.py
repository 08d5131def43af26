"""Array complex maximum."""

TYPES = "Z"


def f(x):
    return x.max()


EXPECTED = """
bad_array_complex_maximum.py:7: max of complex numbers is not supported
    7 |  return x.max()
      |         ^^^^^^^
"""
