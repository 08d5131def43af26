"""Two tensors of one name."""

import numpy as np

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (3,)), mt.Tensor("x", (3,), np.float32)
    mt.kernel("copy", y["i"] <= x["i"])


EXPECTED = """
bad_tensor_name_twice.py:10: two tensors have the name `x`: x (3, float32) and x (3, float64)
   10 |  mt.kernel("copy", y["i"] <= x["i"])
      |                              ^^^^^^
"""
