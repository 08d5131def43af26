"""De Jong's attractor: many points move, and each step counts in a histogram, a scatter by data."""

import numpy as np


def program(x, y, steps, size):
    counts = np.zeros((size, size))
    for _ in range(steps):
        for p in range(x.shape[0]):
            u = np.sin(1.4 * y[p]) - np.cos(-2.3 * x[p])
            v = np.sin(2.4 * x[p]) - np.cos(-2.1 * y[p])
            x[p], y[p] = u, v
        for p in range(x.shape[0]):
            counts[int((y[p] + 2.0) * 0.2499 * size), int((x[p] + 2.0) * 0.2499 * size)] += 1.0
    return counts


def arguments(size=240, steps=60):
    x, y = np.random.default_rng(8).uniform(-1.0, 1.0, (2, 40 * size))
    return x, y, steps, size


def picture(result):
    return np.log1p(result)
