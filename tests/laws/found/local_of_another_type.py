"""Seed 9302130 of `python -m tests.fuzz`: values."""


from tests.fuzz.program import Array


def program(x, y, u):
    s = 1
    s += y[1]
    k1 = 0
    while k1:
        s *= x[1]
    u[1] = -s


ARGUMENTS = {
    "x": Array('float64', (2,), fill='ones'),
    "y": Array('uint8', (2,), fill='ones'),
    "u": Array('float64', (2,), fill='ones'),
}
OPTIONS = ({},)
