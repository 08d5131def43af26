"""An assignment to a constant."""

from jitmdh import tensor as mt


def f():
    x, k = mt.Tensor("x", (2,)), mt.Tensor("k", values=[1.0, 2.0])
    mt.kernel("copy", k["i"] <= x["i"])


EXPECTED = """
bad_tensor_constant_written.py:8: `k["i"] <= x["i"]`: k is a constant
    8 |  mt.kernel("copy", k["i"] <= x["i"])
      |                    ^^^^^^
"""
