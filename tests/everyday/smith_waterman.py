"""The best local alignment."""

import numpy as np


def program(a, b, match, mismatch, gap):
    h = np.zeros((len(a) + 1, len(b) + 1))
    best = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = h[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            h[i, j] = max(0.0, diagonal, h[i - 1, j] + gap, h[i, j - 1] + gap)
            if h[i, j] > best:
                best = h[i, j]
    return best


def arguments(rng):
    return rng.integers(0, 4, 20), rng.integers(0, 4, 25), 2.0, -1.0, -1.5
