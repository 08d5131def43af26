"""The most valuable things that fit into a bag: loops with bounds from data, whose iterations need each other."""

import numpy as np


def program(weights, values, room):
    best = np.zeros(room + 1, dtype=np.int64)
    for i in range(len(weights)):
        for c in range(room, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[room]


def arguments(rng):
    return rng.integers(1, 20, 30), rng.integers(1, 50, 30), 60
