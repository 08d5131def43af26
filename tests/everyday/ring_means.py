"""Means over rings: elements that a mask chooses, under names that are used once."""

import numpy as np


def program(data, radius, rings):
    largest = radius.max()
    means = np.zeros(rings)
    for i in range(rings):
        inner = largest * i / rings
        outer = largest * (i + 1) / rings
        ring = np.logical_and((inner <= radius), (radius < outer))
        values = data[ring]
        means[i] = values.mean()
    return means


def arguments(rng):
    return rng.random(500), rng.random(500), 7
