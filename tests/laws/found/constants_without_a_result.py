"""A constant that cannot be stored, and constants that are divided by: 0."""

from tests.fuzz.program import Array


def program(out, z, n):
    total = 100
    total -= z[1]
    out[0] = total
    out[1] = 1e30 if z[2] > 9 else 3.5
    return n // 0 if z[0] > 9 else n % 5, n / 0


ARGUMENTS = {
    "out": Array("int64", (2,)),
    "z": Array("float64", (3,), seed=3),
    "n": "5",
}
OPTIONS = ({}, {"deterministic": True})
