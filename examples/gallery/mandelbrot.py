"""Mandelbrot set: how long each point takes to leave. The inner loop ends where the data say so."""

import numpy as np


def program(size):
    steps = np.zeros((size, size), np.int64)
    for i in range(size):
        for j in range(size):
            x0, y0 = 3.0 * j / size - 2.2, 3.0 * i / size - 1.5
            x, y, n = 0.0, 0.0, 0
            while x * x + y * y <= 4.0 and n < 200:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                n += 1
            steps[i, j] = n
    return steps


def arguments(size=240):
    return (size,)


def picture(result):
    return np.log(result)
