"""Bilateral filter: noise goes, edges stay. Weights depend on distance and on brightness."""

import math

import numpy as np


def program(image, radius):
    height, width = image.shape
    smooth = np.zeros((height, width))
    for i in range(radius, height - radius):
        for j in range(radius, width - radius):
            total, weights = 0.0, 0.0
            for a in range(-radius, radius + 1):
                for b in range(-radius, radius + 1):
                    other = image[i + a, j + b]
                    weight = math.exp(-0.06 * (a * a + b * b) - 20.0 * (other - image[i, j]) ** 2)
                    total += weight * other
                    weights += weight
            smooth[i, j] = total / weights
    return smooth


def arguments(size=160):
    y, x = np.mgrid[-1.0 : 1.0 : size * 1j, -1.0 : 1.0 : size * 1j]
    clean = 0.7 * (x * x + y * y < 0.5) + 0.3 * (np.abs(x - y) < 0.3)
    return clean + 0.15 * np.random.default_rng(6).standard_normal(clean.shape), 4


def picture(result):
    return result[4:-4, 4:-4]
