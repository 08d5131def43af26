"""The longest subsequence that two sequences have in common."""

import numpy as np


def program(a, b):
    n, m = a.shape[0], b.shape[0]
    t = np.zeros((n + 1, m + 1), np.int64)
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                t[i + 1, j + 1] = t[i, j] + 1
            else:
                t[i + 1, j + 1] = max(t[i, j + 1], t[i + 1, j])
    return t[n, m]


def arguments(rng):
    return rng.integers(0, 4, 33), rng.integers(0, 4, 41)
