"""Array reshape twice."""

TYPES = "V"


def f(x):
    return x.reshape(-1, -1)


EXPECTED = """
bad_array_reshape_twice.py:7: only one entry of a shape can be -1
    7 |  return x.reshape(-1, -1)
      |         ^^^^^^^^^^^^^^^^^
"""
