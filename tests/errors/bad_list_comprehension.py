"""List comprehension."""

TYPES = "V"


def f(x):
    y = [value for value in x]
    return y


EXPECTED = """
bad_list_comprehension.py:7: a list comprehension is not supported in a compiled function
    7 |  y = [value for value in x]
      |      ^^^^^^^^^^^^^^^^^^^^^^
"""
