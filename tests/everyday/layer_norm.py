"""Means and variances of rows."""

import numpy as np


def program(x, gain, bias):
    mean = x.mean(axis=1).reshape(-1, 1)
    variance = np.var(x, axis=1)[:, np.newaxis]
    return gain * (x - mean) / np.sqrt(variance + 1e-5) + bias


def arguments(rng):
    return rng.random((6, 9)), rng.random(9), rng.random(9)
