"""A sum of no elements is stored where data say, or not: outside of the array it is an error all the same."""

import numpy as np

from tests.fuzz.program import Array


def program(x, y, c):
    for i in range(2):
        y[c[i]] += np.sum(x[1:]) * 2


ARGUMENTS = {
    "x": Array("float64", (1,), fill="ones"),
    "y": Array("float64", (1,), fill="ones"),
    "c": Array("int32", (2,), fill="ones"),
}
OPTIONS = ({}, {"algebra": True, "optimised": False, "checked": False})
