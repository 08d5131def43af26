"""Spheres, lit: for each pixel the nearest sphere that its ray meets, and the light there."""

import math

import numpy as np


def program(size, spheres):
    image = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            x, y = 2.0 * j / size - 1.0, 1.0 - 2.0 * i / size
            nearest, light = math.inf, 0.0
            for s in range(spheres.shape[0]):
                dx, dy = x - spheres[s, 0], y - spheres[s, 1]
                under = spheres[s, 3] ** 2 - dx * dx - dy * dy
                if under > 0.0:
                    height = math.sqrt(under)
                    depth = spheres[s, 2] - height
                    if depth < nearest:
                        nearest = depth
                        light = max(0.15, (0.5 * dy - 0.5 * dx + 0.7 * height) / spheres[s, 3])
            image[i, j] = light
    return image


def arguments(size=240):
    random = np.random.default_rng(5)
    return size, np.column_stack([random.uniform(-0.9, 0.9, (40, 3)), random.uniform(0.06, 0.3, 40)])


def picture(result):
    return result
