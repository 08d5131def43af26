"""Seed 9301086 of `python -m tests.fuzz`: no error."""


from tests.fuzz.program import Array


def program(u):
    s, last = (0, 0)
    for i in range(1):
        u[1] = 2 / s
        s = u[1]


ARGUMENTS = {
    "u": Array('float64', (2,), fill='ones'),
}
OPTIONS = ({},)
