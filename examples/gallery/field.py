"""Gravitational potential of a cloud of stars: all pairs of pixels and stars."""

import math

import numpy as np


def program(size, stars):
    potential = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            total = 0.0
            for s in range(stars.shape[0]):
                dx, dy = stars[s, 0] - j / size, stars[s, 1] - i / size
                total += stars[s, 2] / math.sqrt(dx * dx + dy * dy + 1e-4)
            potential[i, j] = total
    return potential


def arguments(size=160):
    random = np.random.default_rng(4)
    return size, np.column_stack([0.5 + 0.18 * random.standard_normal((100, 2)), random.random(100)])


def picture(result):
    return np.log(result)
