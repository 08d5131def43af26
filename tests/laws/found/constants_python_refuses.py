"""Constants that Python itself cannot combine are refused with their place: it is no bug of the compiler."""

from tests.fuzz.program import Array


def program(out):
    for i in range(out.shape[0]):
        out[i] = (0.5 ^ 2) + ~1.5


ARGUMENTS = {
    "out": Array("float64", (3,)),
}
OPTIONS = ({},)
