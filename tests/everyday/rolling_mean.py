"""Means of the last values."""

import numpy as np


def program(x, out, k):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        if i >= k:
            s -= x[i - k]
        out[i] = s / min(i + 1, k)


def arguments(rng):
    return rng.random(80), np.zeros(80), 7
