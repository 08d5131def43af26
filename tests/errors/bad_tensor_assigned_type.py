"""A float for an integer."""

import numpy as np

from jitmdh import tensor as mt


def f():
    x, n = mt.Tensor("x", (3,)), mt.Tensor("n", (3,), np.int32)
    mt.kernel("rounded", n["i"] <= x["i"])


EXPECTED = """
bad_tensor_assigned_type.py:10: `n["i"] <= x["i"]`: the right side is float64, n is int32
   10 |  mt.kernel("rounded", n["i"] <= x["i"])
      |                       ^^^^^^^^^^^^^^^^
"""
