"""The largest eigenvalue."""

import numpy as np


def program(a, iterations):
    v = np.ones(a.shape[0])
    value = 0.0
    for _ in range(iterations):
        w = a @ v
        value = np.sqrt(np.sum(w * w))
        v = w / value
    return value, v


def arguments(rng):
    return rng.random((9, 9)), 15
