"""Many generations of cells: a name gets a new array in each iteration, and is returned."""

import numpy as np


def program(cells, generations):
    n, m = cells.shape
    for _ in range(generations):
        new = np.zeros_like(cells)
        for i in range(n):
            for j in range(m):
                alive = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            alive += cells[(i + di) % n, (j + dj) % m]
                if alive == 3 or (alive == 2 and cells[i, j]):
                    new[i, j] = 1
        cells = new
    return cells


def arguments(rng):
    return (rng.random((20, 30)) > 0.6).astype(np.int8), 5
