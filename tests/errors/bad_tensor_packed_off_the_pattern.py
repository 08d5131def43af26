"""A number where a tensor has a known zero, in an array that is to be stored without known zeros."""

import numpy as np

from jitmdh import tensor as mt


def f():
    mt.pack(mt.Tensor("L", (2, 2), pattern=mt.lower, storage="list"), np.ones((2, 2)))


EXPECTED = """
pack: 1.0 at [0, 1], where the tensor has a known zero
"""
