"""Integer out of type."""

TYPES = "B"


def f(x):
    for i in range(len(x)):
        x[i] = x[i] + 300


EXPECTED = """
bad_integer_out_of_type.py:8: Python integer 300 out of bounds for int8
    8 |  x[i] = x[i] + 300
      |         ^^^^^^^^^^
"""
