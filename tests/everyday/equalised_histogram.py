"""The histogram of an image made even: `.flat`, a table, and a look into it."""

import numpy as np


def program(image):
    counts = np.zeros(256, dtype=np.int64)
    for value in image.flat:
        counts[value] += 1
    below = np.cumsum(counts)
    least = below[below > 0].min()
    table = np.round((below - least) / (image.size - least) * 255).astype(np.uint8)
    return table[image]


def arguments(rng):
    return (rng.integers(0, 256, (32, 32)).astype(np.uint8),)
