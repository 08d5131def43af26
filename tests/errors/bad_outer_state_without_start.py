"""Outer state without a first value."""

import numpy as np

TYPES = "M"


def f(x):
    for i in range(len(x)):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    return best


EXPECTED = """
bad_outer_state_without_start.py:13: `best` is used before it has a value
   13 |  best = max(best, total)
      |             ^^^^
"""
