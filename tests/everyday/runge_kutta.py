"""An equation that is given as a function."""

import numpy as np


def decay(t, y):
    return -0.5 * y + t


def program(f, y, dt, steps):
    out = np.empty((steps + 1, y.shape[0]))
    out[0] = y
    for n in range(steps):
        t = n * dt
        k1 = f(t, y)
        k2 = f(t + 0.5 * dt, y + 0.5 * dt * k1)
        k3 = f(t + 0.5 * dt, y + 0.5 * dt * k2)
        k4 = f(t + dt, y + dt * k3)
        y = y + dt / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        out[n + 1] = y
    return out


def arguments(rng):
    return decay, rng.random(4), 0.1, 8
