"""Ranks of pages that link to each other."""

import numpy as np


def program(links, damping, iterations):
    n = links.shape[0]
    rank = np.full(n, 1.0 / n)
    out = links.sum(axis=1)
    for _ in range(iterations):
        new = np.full(n, (1.0 - damping) / n)
        for i in range(n):
            for j in range(n):
                if links[j, i] > 0:
                    new[i] += damping * rank[j] / out[j]
        rank = new
    return rank


def arguments(rng):
    return (rng.random((12, 12)) > 0.5).astype(float), 0.85, 8
