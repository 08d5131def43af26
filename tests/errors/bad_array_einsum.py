"""Array einsum."""

import numpy as np

TYPES = "MM"


def f(x, y):
    return np.einsum("ij,jk->il", x, y)


EXPECTED = """
bad_array_einsum.py:9: einsum: the result has subscript `l`, which no operand has
    9 |  return np.einsum("ij,jk->il", x, y)
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
