"""Distances between all points."""

import numba as nb
import numpy as np


def program(points):
    n, dimensions = points.shape
    distances = np.empty((n, n), dtype=points.dtype)
    for i in nb.prange(n):
        for j in range(n):
            d = 0.0
            for k in range(dimensions):
                difference = points[i, k] - points[j, k]
                d += difference * difference
            distances[i, j] = np.sqrt(d)
    return distances


def arguments(rng):
    return (rng.random((23, 3)),)
