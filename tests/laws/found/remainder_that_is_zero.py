"""A subscript `k % 1` is no subscript by k; loops that run over nothing depend on nothing."""

from tests.fuzz.program import Array


def program(o, x, m):
    for i in range(0, x.shape[0], -1):
        for k in range(m):
            o[(m - k) % 1, 2 * i] = x[(2 * i + 4) // 2 + (4 * k + 3) % 2]


ARGUMENTS = {
    "o": Array("float64", (2, 5)),
    "x": Array("float64", (5,)),
    "m": "3",
}
OPTIONS = ({},)
