"""A matrix of which each row names its columns, times a vector."""

import numpy as np


def program(data, columns, pointers, x):
    n = pointers.shape[0] - 1
    y = np.zeros(n)
    for i in range(n):
        for k in range(pointers[i], pointers[i + 1]):
            y[i] += data[k] * x[columns[k]]
    return y


def arguments(rng):
    pointers = np.array([0, 3, 3, 8, 12, 15])
    return rng.random(15), rng.integers(0, 9, 15), pointers, rng.random(9)
