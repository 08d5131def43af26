"""Seed 9200850 of `python -m tests.fuzz`: values."""


from tests.fuzz.program import Array


def program(x, y, A, v):
    s = 1
    if A[1, -1]:
        s, s = (1, y[1])
    v[1] = s // (s * x[1])


ARGUMENTS = {
    "x": Array('int64', (2,), fill='zeros'),
    "y": Array('float64', (2,), fill='ones'),
    "A": Array('int32', (13, 1), fill='zeros', seed=299, layout='misaligned'),
    "v": Array('float32', (13,), seed=819),
}
OPTIONS = ({},)
