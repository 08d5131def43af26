"""An array without dimensions, all of which is assigned to and updated."""

from tests.fuzz.program import Array


def program(out, x):
    out[...] = 2
    out[...] += x[...]
    x[None] = 5


ARGUMENTS = {
    "out": Array("float64", ()),
    "x": Array("int64", ()),
}
OPTIONS = ({}, {"deterministic": True})
