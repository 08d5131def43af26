"""Coefficients from correlations, with a slice that goes backwards."""

import numpy as np


def program(r):
    n = r.shape[0]
    y = np.zeros(n)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(r[k - 1 :: -1], y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def arguments(rng):
    return (rng.random(12) * 0.3,)
