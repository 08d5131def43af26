"""Where each of many increasing functions is zero."""

import numpy as np


def program(a, b):
    found = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        low, high = 0.0, 2.0
        while high - low > 1e-10:
            middle = 0.5 * (low + high)
            if a[i] * middle**3 + middle - b[i] > 0.0:
                high = middle
            else:
                low = middle
        found[i] = 0.5 * (low + high)
    return found


def arguments(rng):
    return rng.random(30) + 0.5, rng.random(30)
