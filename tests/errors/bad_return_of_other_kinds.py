"""A number or a tuple, depending on the data."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        if x[i] > 0:
            return i, 1
    return 0


EXPECTED = """
bad_return_of_other_kinds.py:7: this loop returns a value of another kind than what is behind it
    7 |  for i in range(len(x)):
      |  ^^^^^^^^^^^^^^^^^^^^^^^
"""
