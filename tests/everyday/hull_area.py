"""The area of a convex hull, by Andrew's chain."""

import numpy as np


def program(p, h):
    n = p.shape[0]
    k = 0
    for i in range(n):
        while (
            k >= 2
            and (h[k - 1, 0] - h[k - 2, 0]) * (p[i, 1] - h[k - 2, 1])
            - (h[k - 1, 1] - h[k - 2, 1]) * (p[i, 0] - h[k - 2, 0])
            <= 0
        ):
            k -= 1
        h[k, 0] = p[i, 0]
        h[k, 1] = p[i, 1]
        k += 1
    t = k + 1
    for i in range(n - 2, -1, -1):
        while (
            k >= t
            and (h[k - 1, 0] - h[k - 2, 0]) * (p[i, 1] - h[k - 2, 1])
            - (h[k - 1, 1] - h[k - 2, 1]) * (p[i, 0] - h[k - 2, 0])
            <= 0
        ):
            k -= 1
        h[k, 0] = p[i, 0]
        h[k, 1] = p[i, 1]
        k += 1
    a = 0.0
    for i in range(k - 1):
        a += h[i, 0] * h[i + 1, 1] - h[i + 1, 0] * h[i, 1]
    return 0.5 * a


def arguments(rng):
    points = rng.random((40, 2))
    return points[np.lexsort((points[:, 1], points[:, 0]))].copy(), np.zeros((80, 2))
