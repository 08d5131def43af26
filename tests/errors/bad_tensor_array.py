"""An array in a formula."""

import numpy as np

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (2,)), np.ones(2)
    mt.kernel("scaled", x["i"] <= x["i"] * y)


EXPECTED = """
bad_tensor_array.py:10: ndarray cannot be part of a formula
   10 |  mt.kernel("scaled", x["i"] <= x["i"] * y)
      |                                ^^^^^^^^^^
  hint: make it a constant: Tensor("A", values=array)
"""
