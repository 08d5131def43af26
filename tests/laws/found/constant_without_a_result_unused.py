"""Seed 5014610 of `python -m tests.fuzz`: an error that always happens was lost where nobody used the value."""

import numpy as np

from tests.fuzz.program import Array


def program(x, out):
    t = 1 * (300 % 2 // 0)
    out[...] *= x > 2


ARGUMENTS = {
    "x": Array("uint32", (3,)),
    "out": Array("float64", (3,)),
}
OPTIONS = ({}, {"reassociate": False})
