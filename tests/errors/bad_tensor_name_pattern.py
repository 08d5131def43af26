"""Two tensors of one name and shape, of which one has known zeros."""

from jitmdh import tensor as mt


def f():
    x, other, y = mt.Tensor("x", (3, 3)), mt.Tensor("x", (3, 3), pattern=mt.lower), mt.Tensor("y", (3, 3))
    mt.kernel("sum", y["ij"] <= x["ij"] + other["ij"])


EXPECTED = """
bad_tensor_name_pattern.py:8: two tensors have the name `x`: x (3×3, float64, any numbers) and x (3×3, float64, a pattern of 6)
    8 |  mt.kernel("sum", y["ij"] <= x["ij"] + other["ij"])
      |                                        ^^^^^^^^^^^
"""
