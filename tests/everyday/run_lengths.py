"""Runs of the same value."""

import numpy as np


def program(x, vals, runs):
    n = 0
    i = 0
    while i < x.shape[0]:
        j = i
        while j < x.shape[0] and x[j] == x[i]:
            j += 1
        vals[n] = x[i]
        runs[n] = j - i
        n += 1
        i = j
    return n


def arguments(rng):
    return np.repeat(rng.integers(0, 4, 20), rng.integers(1, 6, 20)), np.zeros(120, np.int64), np.zeros(120, np.int64)
