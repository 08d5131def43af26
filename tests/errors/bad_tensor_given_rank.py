"""An array with one axis too many."""

import numpy as np

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (3,)), mt.Tensor("y", (3,))
    twice = mt.kernel("twice", y["i"] <= 2 * x["i"])
    twice(x=np.ones((3, 1)))


EXPECTED = """
twice: x is an array of float64 with shape (3,), got (3, 1)
"""
