"""Numbers that cannot be stored, in statements outside of all loops."""

import math

from tests.fuzz.program import Array


def program(out, z, n):
    total = 100
    total -= z[1]
    out[0] = total
    out[1] = z[2] * 1e30
    return math.sqrt(n - 3), 1 / (n - 2)


ARGUMENTS = {
    "out": Array("int64", (2,)),
    "z": Array("float64", (3,), seed=3),
    "n": "5",
}
OPTIONS = ({}, {"deterministic": True})
