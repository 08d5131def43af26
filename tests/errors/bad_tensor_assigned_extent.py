"""The left side has another extent."""

from jitmdh import tensor as mt


def f():
    A, c = mt.Tensor("A", (3, 4)), mt.Tensor("c", (4,))
    mt.kernel("rows", c["i"] <= A["ij"])


EXPECTED = """
bad_tensor_assigned_extent.py:8: `c["i"] <= A["ij"]`: i is 4 in c (4, float64) and 3 in A (3×4, float64)
    8 |  mt.kernel("rows", c["i"] <= A["ij"])
      |                              ^^^^^^^
"""
