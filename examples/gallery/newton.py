"""Newton's fractal: which root of z³ = 1 the iteration finds from each point, and how fast."""

import numpy as np


def program(size):
    found = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            z = complex(3.0 * j / size - 1.5, 3.0 * i / size - 1.5) + 1e-9
            n = 0
            while n < 40 and abs(z * z * z - 1.0) > 1e-8:
                z = z - (z * z * z - 1.0) / (3.0 * z * z)
                n += 1
            found[i, j] = 40.0 * np.floor(z.imag + 1.5) - n
    return found


def arguments(size=240):
    return (size,)


def picture(result):
    return result
