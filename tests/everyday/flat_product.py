"""The same in flat arrays, as in C."""

import numpy as np


def program(c, a, b, n):
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i * n + k] * b[k * n + j]
            c[i * n + j] = total


def arguments(rng):
    return np.zeros(49), rng.random(49), rng.random(49), 7
