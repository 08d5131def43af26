"""Waves behind two slits: the wave equation in two dimensions, leapfrog in time."""

import numpy as np


def program(u, before, wall, steps):
    for t in range(steps):
        after = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                curvature = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
                after[i, j] = wall[i, j] * (2.0 * u[i, j] - before[i, j] + 0.25 * curvature)
        for i in range(u.shape[0]):
            after[i, 2] = np.sin(0.35 * t)
        for i in range(u.shape[0]):
            for j in range(u.shape[1]):
                before[i, j] = u[i, j]
                u[i, j] = after[i, j]
    return u


def arguments(size=120):
    middle, wall = size // 2, np.ones((size, size))
    wall[:, size // 4 : size // 4 + 2] = 0.0
    wall[middle - 16 : middle - 10] = wall[middle + 10 : middle + 16] = 1.0
    return np.zeros((size, size)), np.zeros((size, size)), wall, 7 * size // 4


def picture(result):
    return np.clip(result, -0.6, 0.6)
