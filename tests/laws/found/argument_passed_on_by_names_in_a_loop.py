"""A name that is given the array of another in each iteration, and returned: Python returns the argument itself, what was
returned was a copy of it. Seen in `while` loops by the fuzzer (seed 84000961)."""


import numpy as np

from tests.fuzz.program import Array


def program(x, y):
    y = np.where(1, y, 1)
    k = 1
    while k < 2:
        k += 1
        y, x = x, y
    return y


ARGUMENTS = {
    "x": Array('int32', (5,), fill='ones'),
    "y": Array('int32', (5,), fill='zeros'),
}
OPTIONS = ({},)
