"""Seed 9301226 of `python -m tests.fuzz`: values."""


from tests.fuzz.program import Array


def program(x2, out4):
    acc1 = 0.0
    acc1 -= abs(x2[1])
    out4[1] = acc1


ARGUMENTS = {
    "x2": Array('complex128', (2, 4)),
    "out4": Array('float64', (2, 1, 4), fill='ones'),
}
OPTIONS = ({},)
