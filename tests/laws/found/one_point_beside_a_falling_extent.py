"""Seed 131 of a law: a loop of one point at most, whose extent falls with the loop around it, was taken for a mistake."""


from tests.fuzz.program import Array


def program(y, x, n):
    s = 0
    for i in range(1, n):
        for j in range(2 - i):
            if x[i] > 0:
                s += 1
            y[0] = s


ARGUMENTS = {
    "y": Array('int64', (4,), fill='zeros'),
    "x": Array('int64', (4,), fill='ones'),
    "n": '4',
}
OPTIONS = ({}, {'check_memory': True})
