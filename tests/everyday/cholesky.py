"""The factor of a positive definite matrix, in place."""

import numpy as np


def program(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])


def arguments(rng):
    a = rng.random((10, 10))
    return (a @ a.T + 10.0 * np.eye(10),)
