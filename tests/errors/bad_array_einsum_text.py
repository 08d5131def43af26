"""Array einsum text."""

import numpy as np

TYPES = "MMn"


def f(A, B, n):
    return np.einsum(n, A, B)


EXPECTED = """
bad_array_einsum_text.py:9: einsum takes a constant string of subscripts, or a list of constants behind each array
    9 |  return np.einsum(n, A, B)
      |         ^^^^^^^^^^^^^^^^^^
"""
