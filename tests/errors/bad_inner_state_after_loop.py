"""Inner state used after both loops."""

import numpy as np

TYPES = "M"


def f(x):
    best = np.float32(-np.inf)
    for i in range(len(x)):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    return best + total


EXPECTED = """
bad_inner_state_after_loop.py:15: `total` is used after the loop in line 10 that sets it in every iteration
   15 |  return best + total
      |                ^^^^^
  hint: give `total` a value before the loop, or compute the last one after it
"""
