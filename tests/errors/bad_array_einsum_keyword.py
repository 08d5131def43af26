"""Array einsum keyword."""

import numpy as np

TYPES = "MM"


def f(A, B):
    return np.einsum("ij,jk->ik", A, B, order="F")


EXPECTED = """
bad_array_einsum_keyword.py:9: argument `order` of `einsum` is not supported
    9 |  return np.einsum("ij,jk->ik", A, B, order="F")
      |                                            ^^^
"""
