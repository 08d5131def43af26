"""How soon each point of the plane leaves the circle of radius 2."""

import numpy as np


def program(re, im, most):
    counts = np.zeros((im.shape[0], re.shape[0]), dtype=np.int64)
    for y in range(im.shape[0]):
        for x in range(re.shape[0]):
            c = complex(re[x], im[y])
            z = 0j
            for _ in range(most):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag > 4.0:
                    break
                counts[y, x] += 1
    return counts


def arguments(rng):
    return np.linspace(-2, 1, 23), np.linspace(-1.2, 1.2, 17), 40
