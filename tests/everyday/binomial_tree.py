"""An American option backwards through a tree."""

import numpy as np


def program(s, k, r, sigma, t, steps):
    dt = t / steps
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / up) / (up - 1 / up)
    values = np.empty(steps + 1)
    for i in range(steps + 1):
        values[i] = max(k - s * up ** (2 * i - steps), 0.0)
    for n in range(steps - 1, -1, -1):
        for i in range(n + 1):
            kept = np.exp(-r * dt) * (p * values[i + 1] + (1 - p) * values[i])
            values[i] = max(kept, k - s * up ** (2 * i - n))
    return values[0]


def arguments(rng):
    return 1.0, 1.1, 0.03, 0.25, 1.0, 20
