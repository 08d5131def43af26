"""Edges of an image: Sobel's two filters and the length of the gradient."""

import numpy as np


def program(image, across):
    height, width = image.shape
    edges = np.zeros((height - 2, width - 2))
    for i in range(height - 2):
        for j in range(width - 2):
            gx, gy = 0.0, 0.0
            for a in range(3):
                for b in range(3):
                    gx += across[a, b] * image[i + a, j + b]
                    gy += across[b, a] * image[i + a, j + b]
            edges[i, j] = np.sqrt(gx * gx + gy * gy)
    return edges


def arguments(size=300):
    y, x = np.mgrid[-3.0 : 3.0 : size * 1j, -3.0 : 3.0 : size * 1j]
    image = np.floor(3 * np.sin(x * x + y) * np.cos(y * y - x)) / 3
    return image, np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])


def picture(result):
    return result
