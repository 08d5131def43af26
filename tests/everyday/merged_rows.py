"""Two sorted rows as one: which of them goes on, data say."""

import numpy as np


def program(a, b, out):
    i = j = k = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
        k += 1
    while i < len(a):
        out[k] = a[i]
        i += 1
        k += 1
    while j < len(b):
        out[k] = b[j]
        j += 1
        k += 1
    return k


def arguments(rng):
    return np.sort(rng.integers(0, 500, 80)), np.sort(rng.integers(0, 500, 70)), np.zeros(150, np.int64)
