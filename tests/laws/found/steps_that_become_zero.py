"""A step that an outer index decides and that becomes 0: Python raises when it comes to it."""

from tests.fuzz.program import Array


def program(out, n):
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, -1, -3 + i):
            out[i, j] = 0


ARGUMENTS = {
    "out": Array("float64", (7, 7), seed=685),
    "n": "7",
}
OPTIONS = ({}, {"deterministic": True}, {"interpreted": True})
