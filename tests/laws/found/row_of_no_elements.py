"""A row that is not there is an IndexError, though it would have no elements."""

from tests.fuzz.program import Array


def program(x):
    x[1] = 1
    return x[2]


ARGUMENTS = {
    "x": Array("float64", (2, 0)),
}
OPTIONS = ({}, {"reassociate": False})
