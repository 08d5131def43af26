"""A number that the call does not give."""

import numpy as np

from jitmdh import tensor as mt


def f():
    x, dt = mt.Tensor("x", (3,)), mt.Scalar("dt")
    step = mt.kernel("step", x["i"] <= dt * x["i"])
    step(x=np.ones(3))


EXPECTED = """
step: the scalar dt was not given
"""
