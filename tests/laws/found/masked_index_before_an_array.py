"""Seed 9302051 of `python -m tests.fuzz`: internal."""


from tests.fuzz.program import Array


def program(cells3, which4, n):
    for i in range(n):
        for j in range(n - 2):
            cells3[which4[i - 1]] += 1


ARGUMENTS = {
    "cells3": Array('float16', (0,), fill='ones'),
    "which4": Array('int32', (0,), fill='ones'),
    "n": '1',
}
OPTIONS = ({'check_memory': True},)
