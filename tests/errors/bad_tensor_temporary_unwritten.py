"""A temporary that nothing has written."""

from jitmdh import tensor as mt


def f():
    x, t = mt.Tensor("x", (2,)), mt.temporary("t", (2,))
    mt.kernel("copy", x["i"] <= t["i"])


EXPECTED = """
bad_tensor_temporary_unwritten.py:8: `t` is read before anything is written to it
    8 |  mt.kernel("copy", x["i"] <= t["i"])
      |                              ^^^^^^
"""
