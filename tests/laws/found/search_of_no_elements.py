"""Seed 9300523 of `python -m tests.fuzz`: no error."""


from tests.fuzz.program import Array


def program(A, index, v):
    for i in range(1):
        for j1 in range(5):
            if A[index[1], 1]:
                break
        v[1] += 1


ARGUMENTS = {
    "A": Array('float64', (0, 0), fill='ones'),
    "index": Array('int64', (2,), fill='ones'),
    "v": Array('float64', (2,), fill='ones'),
}
OPTIONS = ({},)
