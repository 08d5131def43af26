"""Behind a loop that is left, and ends in an error, another one began."""

from tests.fuzz.program import Array


def program(a, b, m):
    for i in range(0, 1, 5):
        a[1] = 1
        break
    for k in range(m):
        b[0, 0, k] = 1


ARGUMENTS = {
    "a": Array("complex64", (1,)),
    "b": Array("complex64", (1, 1, 7)),
    "m": "7",
}
OPTIONS = ({}, {"interpreted": True})
