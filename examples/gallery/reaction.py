"""Gray–Scott: two substances that react and diffuse grow into spots."""

import numpy as np


def program(a, b, steps):
    for _ in range(steps):
        c, d = a.copy(), b.copy()
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                spread_a = c[i - 1, j] + c[i + 1, j] + c[i, j - 1] + c[i, j + 1] - 4.0 * c[i, j]
                spread_b = d[i - 1, j] + d[i + 1, j] + d[i, j - 1] + d[i, j + 1] - 4.0 * d[i, j]
                reaction = c[i, j] * d[i, j] * d[i, j]
                a[i, j] = c[i, j] + 0.16 * spread_a - reaction + 0.035 * (1.0 - c[i, j])
                b[i, j] = d[i, j] + 0.08 * spread_b + reaction - 0.095 * d[i, j]
    return b


def arguments(size=96):
    a, b = np.ones((size, size)), np.zeros((size, size))
    for i, j in np.random.default_rng(3).integers(0, size - 6, (12, 2)):
        a[i : i + 6, j : j + 6], b[i : i + 6, j : j + 6] = 0.5, 0.25
    return a, b, 5 * size


def picture(result):
    return result
