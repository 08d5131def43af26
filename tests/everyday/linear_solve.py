"""Gaussian elimination with pivots."""

import numpy as np


def program(a, b):
    n = a.shape[0]
    x = b.copy()
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(n):
                t = a[k, j]
                a[k, j] = a[pivot, j]
                a[pivot, j] = t
            t = x[k]
            x[k] = x[pivot]
            x[pivot] = t
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
            x[i] -= factor * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return x


def arguments(rng):
    return rng.random((8, 8)) + 3.0 * np.eye(8), rng.random(8)
