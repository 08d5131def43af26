"""Quotients of complex numbers in a sum: two operations shared one fused one, and a sign was lost."""

from tests.fuzz.program import Array


def program(x, y):
    s = 0j
    for k in range(x.shape[0]):
        s += x[k] / y[k]
    return (x / y).sum(), (x / y).mean(), s


ARGUMENTS = {
    "x": Array("complex128", (7,), seed=3),
    "y": Array("complex128", (7,), seed=4),
}
OPTIONS = ({}, {"deterministic": True})
