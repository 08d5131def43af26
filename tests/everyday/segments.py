"""Weighted sums over segments whose ends are data, until a bound is reached."""

import numpy as np


def program(x, ends, most):
    total, k = 0.0, 0
    while k < len(ends) - 1 and total < most:
        part = x[ends[k] : ends[k + 1]]
        total += (part * part).sum() - part.mean()
        k += 1
    return total, k


def arguments(rng):
    return (rng.random(40), np.array([0, 3, 7, 19, 20, 40]), 9.0)
