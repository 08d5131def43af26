"""A sum that cores share, of as many rows as data say: compiling it failed, and Python served the call with a warning."""

from tests.fuzz.program import Array


def program(x, B, k):
    for v in x:
        B[k[0] :] -= v


ARGUMENTS = {
    "x": Array("float64", (40,), fill="ones"),
    "B": Array("float16", (4, 3), fill="ones"),
    "k": Array("int32", (1,), fill="ones"),
}
OPTIONS = ({}, {"checked": False})
