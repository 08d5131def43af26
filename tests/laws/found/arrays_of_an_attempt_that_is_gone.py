"""Seed 151000132 of `python -m tests.fuzz`: a loop is tried again, and arrays of the first attempt were looked for."""

import numpy as np

from tests.fuzz.program import Array


def program(x, y, A, at, n, c):
    p4 = x
    for k7 in range(2):
        k8 = 1
        while k8 < 3:
            k8 += 1
            p4 = y - y
            A[k8] *= np.where(x > x.sum(), x, x.sum())
        p4 = None


ARGUMENTS = {
    "x": Array("float64", (4,), seed=621),
    "y": Array("float64", (4,), seed=39, layout="strided"),
    "A": Array("float64", (4, 4), seed=341),
    "at": Array("int64", (4,), fill="cells 4", seed=64),
    "n": "4",
    "c": "0",
}
OPTIONS = ({"schedule": 1853}, {})
