"""Classical Runge-Kutta steps with the right side as a function inside, which alone reads an import."""

import math

import numpy as np


def program(h, t, y, n):
    def slope(t, y):
        return -2 * y + math.sin(t)

    out = np.empty(n)
    for i in range(n):
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h * k1 / 2)
        k3 = slope(t + h / 2, y + h * k2 / 2)
        k4 = slope(t + h, y + h * k3)
        y += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        t += h
        out[i] = y
    return out


def arguments(rng):
    return 0.1, 0.0, 1.0, 50
