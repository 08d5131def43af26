"""A power of a matrix by repeated squaring."""

import numpy as np


def program(A, n):
    result = np.eye(A.shape[0])
    square = A.copy()
    while n > 0:
        if n & 1:
            result = result @ square
        square = square @ square
        n >>= 1
    return result


def arguments(rng):
    return rng.random((12, 12)) / 6, 11
