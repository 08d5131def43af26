"""Triangle product."""

TYPES = "M"


def f(M):
    for i in range(M.shape[0]):
        for j in range(i * i):
            M[i, j] = 1


EXPECTED = """
bad_triangle_product.py:8: bound `i * i` of the loop is not affine in loop indices and sizes
    8 |  for j in range(i * i):
      |                 ^^^^^
  hint: bounds may be sums of them and of constants, each times a constant
"""
