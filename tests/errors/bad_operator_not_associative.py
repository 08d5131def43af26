"""Operator not associative."""

TYPES = "V"
OPTIONS = {"combine": {"i": "sub"}}


def f(x):
    for i in range(len(x)):
        x[0] -= x[i]


EXPECTED = """
combine operator `sub`: it is not associative
  md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c)
  hint: declare a function of two states with @mdh.operator, or name one of add, mul, max, min, and, or
"""
