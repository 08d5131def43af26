"""A slice is taken before its bound is written, in each round of a loop. Seed 30008334 of `python -m tests.fuzz`."""

from tests.fuzz.program import Array


def program(x, k):
    for i in range(2):
        r = x[k[1] :]
        k[1] = 1
        r += 1


ARGUMENTS = {
    "x": Array("float64", (3,), fill="ones"),
    "k": Array("int64", (2,), fill="zeros"),
}
OPTIONS = ({},)
