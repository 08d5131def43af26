"""Points are put to the nearest centre, centres into the middle of their points."""

import numpy as np


def program(points, centres, iterations):
    n, d = points.shape
    k = centres.shape[0]
    labels = np.zeros(n, dtype=np.int64)
    for _ in range(iterations):
        for i in range(n):
            best = np.inf
            for c in range(k):
                distance = 0.0
                for j in range(d):
                    distance += (points[i, j] - centres[c, j]) ** 2
                if distance < best:
                    best = distance
                    labels[i] = c
        sums = np.zeros((k, d))
        counts = np.zeros(k)
        for i in range(n):
            counts[labels[i]] += 1
            for j in range(d):
                sums[labels[i], j] += points[i, j]
        for c in range(k):
            if counts[c] > 0:
                for j in range(d):
                    centres[c, j] = sums[c, j] / counts[c]
    return labels


def arguments(rng):
    return rng.random((60, 2)), rng.random((4, 2)), 5
