"""Seed 62105 of `python -m tests.fuzz`: values."""

import numpy as np

from tests.fuzz.program import Array


def program(x, y, c):
    y[c[0]] = np.sum(x[1:])


ARGUMENTS = {
    "x": Array('float64', (1,), fill='ones'),
    "y": Array('float64', (1,), fill='ones'),
    "c": Array('int32', (1,), fill='zeros'),
}
OPTIONS = ({}, {'algebra': True, 'optimised': False, 'checked': False})
