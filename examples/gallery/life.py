"""Conway's game of life on a torus: integers, and conditions in the loop body."""

import numpy as np


def program(cells, steps):
    height, width = cells.shape
    age = np.zeros(cells.shape, np.int64)
    for _ in range(steps):
        old = cells.copy()
        for i in range(height):
            for j in range(width):
                n = 0
                for a in (-1, 0, 1):
                    for b in (-1, 0, 1):
                        n += old[(i + a) % height, (j + b) % width]
                n -= old[i, j]
                if n == 3 or (n == 2 and old[i, j] == 1):
                    cells[i, j] = 1
                else:
                    cells[i, j] = 0
                age[i, j] = 8 * age[i, j] // 9 + 40 * cells[i, j]
    return age


def arguments(size=120):
    return (np.random.default_rng(1).random((size, size)) < 0.25).astype(np.int64), size // 2


def picture(result):
    return np.sqrt(result)
