"""Relaxation until nothing changes much: new arrays under old names, and a break."""

import numpy as np


def program(u, most, tolerance):
    u = u.copy()
    for step in range(most):  # noqa: B007
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        error = np.abs(new - u).max()
        u = new
        if error < tolerance:
            break
    return u, step, error


def arguments(rng):
    return (rng.random((8, 9)), 50, 1e-3)
