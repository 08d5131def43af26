"""The extent of an inner loop varies with a sequential one, too far, and data decide more."""

from tests.fuzz.program import Array


def program(out, x, n):
    for i in range(n, -1, -1):
        for j in range(i + 1):
            if x[j]:
                out[i % 3, j] = 1
        for k in range(n - i):
            if x[k] > 2:
                out[i % 2, k] = i


ARGUMENTS = {
    "out": Array("float64", (3, 4)),
    "x": Array("uint16", (5,), seed=455),
    "n": "4",
}
OPTIONS = ({}, {"reassociate": False}, {"threads": 7})
