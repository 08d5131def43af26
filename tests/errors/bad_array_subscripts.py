"""Array subscripts."""

TYPES = "M"


def f(x):
    return x[:, 0, 0]


EXPECTED = """
bad_array_subscripts.py:7: too many subscripts: the array has 2 dimensions
    7 |  return x[:, 0, 0]
      |         ^^^^^^^^^^
"""
