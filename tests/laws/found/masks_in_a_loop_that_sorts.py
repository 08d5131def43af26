"""Seed 5493 of `python -m tests.fuzz --kind idioms`: internal."""


from tests.fuzz.program import Array


def program(x, y, b):
    for i in range(len(x)):
        y[b] = x[b]
        y.sort()
        b[i] = True


ARGUMENTS = {
    "x": Array('float64', (4,), seed=354),
    "y": Array('float64', (4,), seed=738, layout='strided'),
    "b": Array('bool', (4,), seed=72),
}
OPTIONS = ({}, {'optimised': False, 'checked': False, 'reassociate': False})
