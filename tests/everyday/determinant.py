"""The determinant by elimination, rows exchanged for the largest pivot."""

import numpy as np


def program(matrix):
    a = matrix.copy()
    n, det = len(a), 1.0
    for k in range(n):
        p = np.argmax(np.abs(a[k:, k])) + k
        if p != k:
            row = a[k].copy()
            a[k] = a[p]
            a[p] = row
            det = -det
        det *= a[k, k]
        for i in range(k + 1, n):
            a[i] -= a[i, k] / a[k, k] * a[k]
    return det


def arguments(rng):
    return (rng.random((6, 6)),)
