"""Steps that data decide, of loops that do nothing: also there 0 is an error."""

from tests.fuzz.program import Array


def program(out, steps):
    total = 0
    for i in range(steps.shape[0]):
        for j in range(3, 3, steps[i]):
            total += 1
    out[0] = total


ARGUMENTS = {
    "out": Array("float64", (1,), seed=1),
    "steps": Array("int8", (17,), seed=2),
}
OPTIONS = ({}, {"interpreted": True})
