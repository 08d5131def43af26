"""Pairs of points that are close, one behind the other as they are found."""

import numpy as np


def program(points, radius):
    n, count = len(points), 0
    pairs = np.zeros((n * n, 2), dtype=np.int64)
    for i in range(n):
        for j in range(i + 1, n):
            apart = points[i] - points[j]
            if np.sqrt(apart @ apart) < radius:
                pairs[count, 0] = i
                pairs[count, 1] = j
                count += 1
    return pairs, count


def arguments(rng):
    return (rng.random((25, 3)), 0.5)
