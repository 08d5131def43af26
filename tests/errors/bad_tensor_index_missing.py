"""Nothing on the right has an index of the left side."""

from jitmdh import tensor as mt


def f():
    x, D = mt.Tensor("x", (3,)), mt.Tensor("D", (3, 3))
    mt.kernel("rows", D["ij"] <= x["i"])


EXPECTED = """
bad_tensor_index_missing.py:8: `D["ij"] <= x["i"]`: nothing on the right has the index j of D (3×3, float64)
    8 |  mt.kernel("rows", D["ij"] <= x["i"])
      |                    ^^^^^^^^^^^^^^^^^
  hint: .broadcast("j") says that it is the same for all
"""
