"""State of an inner loop, whose length its outer one decides, used after both."""

import numpy as np

TYPES = "M"


def f(x):
    best = np.float32(-np.inf)
    for i in range(len(x)):
        for j in range(i):
            total = x[i, j]
        best = max(best, total)
    return best


EXPECTED = """
bad_inner_state_after_loop.py:13: `total` is used after the loop in line 11 that sets it in every iteration
   13 |  best = max(best, total)
      |                   ^^^^^
  hint: give `total` a value before the loop, or compute the last one after it
"""
