"""Array einsum operator."""

import numpy as np

import jitmdh as mdh

TYPES = "MM"


def f(A, B):
    return mdh.einsum("ij,jk->ik", A, B, combine=np.subtract)


EXPECTED = """
bad_array_einsum_operator.py:11: combine operator `subtract`: it is no known operator
   11 |  return mdh.einsum("ij,jk->ik", A, B, combine=np.subtract)
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c)
  hint: declare a function of two states with @mdh.operator, or name one of add, mul, max, min, and, or
"""
