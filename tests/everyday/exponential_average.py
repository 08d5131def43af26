"""Each value depends on the one before."""

import numpy as np


def program(x, alpha):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = alpha * x[i] + (1 - alpha) * y[i - 1]
    return y


def arguments(rng):
    return rng.random(60), 0.3
