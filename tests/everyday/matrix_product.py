"""Three loops and a sum."""

import numpy as np


def program(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def arguments(rng):
    return rng.random((11, 13)), rng.random((13, 9))
