"""A float that no integer is, assigned to many elements at once, is the error that it is for one."""

import numpy as np

from tests.fuzz.program import Array


def program(out, small, n):
    small[1:] = np.floor(n / 2)
    small[...] = out[0] + 100
    out[...] = np.sqrt(n - 3)


ARGUMENTS = {
    "out": Array("int8", (4,)),
    "small": Array("int8", (4,)),
    "n": "2",
}
OPTIONS = ({}, {"deterministic": True})
