"""The mean of what is valid."""

import numpy as np


def program(x, valid):
    return x[valid].mean() + np.sum(x[x > 0.5])


def arguments(rng):
    return rng.random(40), rng.random(40) > 0.3
