"""Seed 9400303 of `python -m tests.fuzz`: values."""

import numpy as np

from tests.fuzz.program import Array


def program(y, u):
    i = 0
    u[1] = i - np.sign(y[1])


ARGUMENTS = {
    "y": Array('uint8', (2,), fill='ones'),
    "u": Array('float64', (2,), fill='ones'),
}
OPTIONS = ({},)
