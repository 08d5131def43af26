"""Where a loop runs no round, the subscript of its sum is not looked for."""

from tests.fuzz.program import Array


def program(h, b, n):
    s = h[0]
    for j in range(n):
        h[b[3]] -= 1
    return s


ARGUMENTS = {
    "h": Array("complex128", (1,), fill="ones"),
    "b": Array("uint8", (0,), fill="ones"),
    "n": "0",
}
OPTIONS = ({},)
