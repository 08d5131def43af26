"""One letter too many."""

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (3,)), mt.Tensor("y", (3,))
    mt.kernel("copy", y["i"] <= x["ij"])


EXPECTED = """
bad_tensor_rank.py:8: x["ij"]: x has 1 axes, the subscripts 2
    8 |  mt.kernel("copy", y["i"] <= x["ij"])
      |                              ^^^^^^^
  hint: one letter for each axis, "ij"; longer names apart, "elem k"
"""
