"""Two tensors disagree on how far an index goes."""

from jitmdh import tensor as mt


def f():
    A, B, C = mt.Tensor("A", (300, 400)), mt.Tensor("B", (500, 20)), mt.Tensor("C", (300, 20))
    mt.kernel("product", C["ij"] <= A["ik"] * B["kj"])


EXPECTED = """
bad_tensor_extent.py:8: `C["ij"] <= A["ik"] * B["kj"]`: k is 400 in A (300×400, float64) and 500 in B (500×20, float64)
    8 |  mt.kernel("product", C["ij"] <= A["ik"] * B["kj"])
      |                                            ^^^^^^^
"""
