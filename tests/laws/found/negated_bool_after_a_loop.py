"""Seed 9300645 of `python -m tests.fuzz`: half done."""


from tests.fuzz.program import Array


def program(x, v):
    s = x[1]
    while 1 < 1:
        s, k1 = (1, 1)
    v[1] += -s
    row3[1] = -x[1]


ARGUMENTS = {
    "x": Array('bool', (2,), fill='ones'),
    "v": Array('float64', (2,), fill='ones'),
}
OPTIONS = ({},)
