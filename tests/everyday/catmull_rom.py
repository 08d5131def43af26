"""A closed curve through points (Catmull and Rom)."""

import numpy as np


def program(p, out):
    n = p.shape[0]
    m = out.shape[0] // n
    for i in range(n):
        for j in range(m):
            t = j / m
            for d in range(2):
                p0 = p[(i - 1) % n, d]
                p1 = p[i, d]
                p2 = p[(i + 1) % n, d]
                p3 = p[(i + 2) % n, d]
                out[i * m + j, d] = 0.5 * (
                    2 * p1
                    + (p2 - p0) * t
                    + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t * t
                    + (3 * p1 - p0 - 3 * p2 + p3) * t * t * t
                )


def arguments(rng):
    return rng.random((9, 2)), np.zeros((72, 2))
