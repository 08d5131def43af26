"""Python stored an element, then the only loop was refused."""

from tests.fuzz.program import Array


def program(out, x):
    out[1] -= 1
    for j in range(1):
        out[0] += 1
        if x[1]:
            out[0] = x[j]


ARGUMENTS = {
    "out": Array("float64", (2,), fill="ones"),
    "x": Array("uint8", (7,), seed=424),
}
OPTIONS = ({}, {"reassociate": False})
