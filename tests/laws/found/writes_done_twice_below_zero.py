"""A range from data that begins below 0, behind a write: the write was done twice, by compiled code and by Python."""

from tests.fuzz.program import Array


def program(x, lo, hi):
    x[0] += 1
    lo[0] -= 1
    for j in range(lo[0], hi[0]):
        x[j] += 1


ARGUMENTS = {
    "x": Array("float64", (5,)),
    "lo": Array("int64", (3,), fill="zeros"),
    "hi": Array("int64", (3,), fill="ones"),
}
OPTIONS = ({},)
