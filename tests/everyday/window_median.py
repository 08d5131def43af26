"""The median of each window, whose elements are sorted by insertion."""

import numpy as np


def program(x):
    width = 5
    out = np.empty(len(x) - width + 1)
    for i in range(len(out)):
        window = x[i : i + width].copy()
        for a in range(1, width):
            value, b = window[a], a - 1
            while b >= 0 and window[b] > value:
                window[b + 1] = window[b]
                b -= 1
            window[b + 1] = value
        out[i] = window[width // 2]
    return out


def arguments(rng):
    return (rng.random(50),)
