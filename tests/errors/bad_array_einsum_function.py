"""Array einsum function."""

import jitmdh as mdh

TYPES = "M"


def f(M):
    return mdh.einsum("ij->i", M, combine=abs)


EXPECTED = """
bad_array_einsum_function.py:9: combine operator `abs`: it is not associative
    9 |  return mdh.einsum("ij->i", M, combine=abs)
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c)
  hint: declare a function of two states with @mdh.operator, or name one of add, mul, max, min, and, or
"""
