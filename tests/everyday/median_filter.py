"""Each pixel becomes the median of those around it."""

import numpy as np


def program(image):
    height, width = image.shape
    out = image.copy()
    for i in range(1, height - 1):
        for j in range(1, width - 1):
            out[i, j] = np.median(image[i - 1 : i + 2, j - 1 : j + 2])
    return out


def arguments(rng):
    return (rng.random((9, 10)),)
