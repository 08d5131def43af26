"""Neighbours by a tuple of constants."""

import numpy as np

OFFSETS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def program(grid):
    n, m = grid.shape
    out = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for di, dj in OFFSETS:
                out[i, j] += grid[i + di, j + dj]
    return out


def arguments(rng):
    return (rng.random((9, 12)),)
