"""How often one letter follows another."""

import numpy as np


def program(b, counts):
    for i in range(b.shape[0] - 1):
        counts[b[i] - 97, b[i + 1] - 97] += 1


def arguments(rng):
    return rng.integers(97, 123, 300).astype(np.uint8), np.zeros((26, 26), np.int64)
