"""Array mask rank."""

TYPES = "MV"


def f(M, x):
    M[x > 0] = 1


EXPECTED = """
bad_array_mask_rank.py:7: the mask has 1 axis, the array 2 axes
    7 |  M[x > 0] = 1
      |    ^^^^^
  hint: give the mask the shape of the array, or write a loop
"""
