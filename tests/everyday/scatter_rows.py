"""Values to where an array says."""

import numpy as np


def program(table, rows, values):
    table[rows] = values
    return table[rows] * 2.0


def arguments(rng):
    return np.zeros(20), rng.permutation(20)[:9], rng.random(9)
