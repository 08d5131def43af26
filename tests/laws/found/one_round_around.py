"""A loop as long as one of one round around it: at most one point writes the maximum."""

from tests.fuzz.program import Array


def program(x, which, n):
    total = -1.0
    for i in range(1):
        for j in range(i + 1):
            for k in range(1, n - 1):
                total = max(x[which[j]], total)
    return total


ARGUMENTS = {
    "x": Array("float64", (6,), seed=3),
    "which": Array("int64", (2,), seed=1),
    "n": "4",
}
OPTIONS = ({}, {"deterministic": True})
