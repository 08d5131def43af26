"""Seed 9301730 of `python -m tests.fuzz`: values."""

import numpy as np

from tests.fuzz.program import Array


def program(m):
    total1 = np.complex64(0)
    for i in range(m):
        for j2 in range(m):
            total1 *= 2
    return total1


ARGUMENTS = {
    "m": '12',
}
OPTIONS = ({},)
