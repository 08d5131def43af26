"""Seed 9201137 of `python -m tests.fuzz`: values."""


from tests.fuzz.program import Array


def program(s_n, x2, out3):
    n = s_n.shape[0]
    acc1 = 1
    for j in range(1, n):
        for k in range(1, -1, -1):
            acc1 *= (2 if k else x2[1, 1]) * j
        out3[1] = acc1


ARGUMENTS = {
    "s_n": Array('float64', (4,), fill='ones'),
    "x2": Array('int16', (2, 2)),
    "out3": Array('float64', (2, 3), fill='ones', seed=552),
}
OPTIONS = ({'reassociate': False, 'optimised': False, 'checked': False},)
