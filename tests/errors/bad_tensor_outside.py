"""A subscript that leaves its axis."""

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (5,)), mt.Tensor("y", (5,))
    mt.kernel("moved", y["i"] <= x["(i+1)"])


EXPECTED = """
bad_tensor_outside.py:8: `x["(i + 1)"]`: positions 1 to 5 of axis 0, which has 5
    8 |  mt.kernel("moved", y["i"] <= x["(i+1)"])
      |                               ^^^^^^^^^^
"""
