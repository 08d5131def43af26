"""One complex element after the other, each from another one of the same array: its two parts are one element."""

from tests.fuzz.program import Array


def program(out):
    for i in range(5):
        out[i] = out[4 - i] - 1


ARGUMENTS = {"out": Array("complex128", (5,))}
OPTIONS = ({}, {"deterministic": True})
