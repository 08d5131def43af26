"""A divisor that is known to be zero."""

from jitmdh import tensor as mt


def f():
    A, x = mt.Tensor("A", (2, 2), pattern=mt.lower), mt.Tensor("x", (2, 2))
    mt.kernel("quotients", x["ij"] <= x["ij"] / A["ij"])


EXPECTED = """
bad_tensor_division_by_known_zero.py:8: `x["ij"] / A["ij"]`: a division by a known zero, at i = 0, j = 1
    8 |  mt.kernel("quotients", x["ij"] <= x["ij"] / A["ij"])
      |                                    ^^^^^^^^^^^^^^^^^
"""
