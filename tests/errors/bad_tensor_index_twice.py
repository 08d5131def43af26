"""A diagonal on the left side."""

from jitmdh import tensor as mt


def f():
    x, D = mt.Tensor("x", (3,)), mt.Tensor("D", (3, 3))
    mt.kernel("diagonal", D["ii"] <= x["i"])


EXPECTED = """
bad_tensor_index_twice.py:8: `D["ii"] <= x["i"]`: the index i is twice on the left side
    8 |  mt.kernel("diagonal", D["ii"] <= x["i"])
      |                        ^^^^^^^
"""
