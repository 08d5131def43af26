"""Sums of a window that moves on."""

import numpy as np


def program(x, window):
    y = np.empty(len(x) - window + 1)
    total = 0.0
    for i in range(window):
        total += x[i]
    y[0] = total / window
    for i in range(window, len(x)):
        total += x[i] - x[i - window]
        y[i - window + 1] = total / window
    return y


def arguments(rng):
    return rng.random(50), 7
