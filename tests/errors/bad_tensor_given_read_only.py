"""A result that cannot be written."""

import numpy as np

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (3,)), mt.Tensor("y", (3,))
    twice = mt.kernel("twice", y["i"] <= 2 * x["i"])
    twice(x=np.ones(3), y=np.broadcast_to(0.0, 3))


EXPECTED = """
twice: y is written, but the array is read-only
"""
