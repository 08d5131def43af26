"""Array mask rank."""

TYPES = "MV"


def f(M, x):
    x[M > 0] = 1


EXPECTED = """
bad_array_mask_rank.py:7: the mask has 2 axes, the array 1 axis
    7 |  x[M > 0] = 1
      |    ^^^^^
"""
