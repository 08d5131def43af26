"""What is sorted under a condition is kept without it: the array became a part of what uses it once, which read the
array that was gone. Seed 38 of `tests/laws/test_arrays_in_procedures.py`."""

import numpy as np

from tests.fuzz.program import Array


def program(x, A, s):
    i = -1
    while i < len(x) - 1:
        i += 1
        if A[i].sum() > 2:
            s[0] = s[0] / 2 + np.argsort(np.abs(A[0]))[0]
        A[i] = A[0]


ARGUMENTS = {
    "x": Array("int64", (3,)),
    "A": Array("float64", (3, 4)),
    "s": Array("float64", (2,)),
}
OPTIONS = ({"fallback": "error", "optimised": False, "checked": False},)
