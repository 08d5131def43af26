"""Seed 9301015 of `python -m tests.fuzz`: internal."""


from tests.fuzz.program import Array


def program(s_n, cells2, which3):
    n = s_n.shape[0]
    for i1 in range(0, 1, 3):
        for k in range(n, -1):
            cells2[which3[i1]] += 1 .real


ARGUMENTS = {
    "s_n": Array('float64', (0,), fill='ones'),
    "cells2": Array('complex128', (0,), fill='ones'),
    "which3": Array('int64', (0,), fill='ones'),
}
OPTIONS = ({'check_memory': True},)
