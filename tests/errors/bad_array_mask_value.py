"""Array mask value."""

TYPES = "VV"


def f(x, y):
    x[x > 0] = x[1:]


EXPECTED = """
bad_array_mask_value.py:7: elements that a mask chooses are assigned a part of their own array
    7 |  x[x > 0] = x[1:]
      |  ^^^^^^^^
  NumPy reads its elements while others of them are overwritten
  hint: copy it before
"""
