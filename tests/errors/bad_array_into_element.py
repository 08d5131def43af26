"""Array into element."""

TYPES = "VV"


def f(y, x):
    for i in range(len(y)):
        y[i] = x


EXPECTED = """
bad_array_into_element.py:8: an array is assigned to one element, `y[i]`
    8 |  y[i] = x
      |  ^^^^
  hint: assign a number
"""
