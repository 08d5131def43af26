"""The number of rounds of an inner loop is a division by zero, and the outer loop has no rounds."""

from tests.fuzz.program import Array


def program(o, m, n):
    for i in range(m):
        for j in range(6 // n):
            o[1] += 1


ARGUMENTS = {
    "o": Array("float64", (2,), fill="zeros"),
    "m": "0",
    "n": "0",
}
OPTIONS = ({}, {"reassociate": False})
