"""Elements of a range from data, where a condition on data keeps out what is not there. Seed 60018045 of the fuzzer."""

from tests.fuzz.program import Array


def program(y, lo, p):
    for j in range(p[1]):
        if lo[1] < 1:
            y[j] += 1


ARGUMENTS = {
    "y": Array("float64", (0,), fill="ones"),
    "lo": Array("float64", (2,), fill="ones"),
    "p": Array("int64", (2,), fill="ones"),
}
OPTIONS = ({},)
