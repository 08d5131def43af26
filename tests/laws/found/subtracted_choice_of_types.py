"""What is subtracted is a choice of an unsigned number and a float: a sum of negated choices wrapped around."""

from tests.fuzz.program import Array


def program(x, z):
    acc = 0
    for i in range(x.shape[0]):
        acc -= x[1] if i else z[1]
    return acc


ARGUMENTS = {
    "x": Array("uint8", (2,), fill="ones"),
    "z": Array("float64", (2,), fill="ones"),
}
OPTIONS = ({}, {"reassociate": False})
