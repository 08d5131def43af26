"""Cube roots by Newton's method, each until it is good enough."""

import numpy as np


def program(x, tolerance):
    roots = np.empty_like(x)
    for i in range(len(x)):
        r = 1.0
        while abs(r * r * r - x[i]) > tolerance:
            r = r - (r * r * r - x[i]) / (3.0 * r * r)
        roots[i] = r
    return roots


def arguments(rng):
    return rng.random(40) + 0.5, 1e-9
