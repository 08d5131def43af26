"""A result that shares memory with an operand."""

import numpy as np

from jitmdh import tensor as mt


def f():
    x, y, memory = mt.Tensor("x", (3,)), mt.Tensor("y", (3,)), np.ones(4)
    twice = mt.kernel("twice", y["i"] <= 2 * x["i"])
    twice(x=memory[:3], y=memory[1:])


EXPECTED = """
twice: y shares memory with x
"""
