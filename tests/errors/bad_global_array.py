"""Global array."""

import numpy as np

TYPES = "V"
WEIGHTS = np.ones(3)


def f(x):
    for i in range(len(x)):
        x[i] = WEIGHTS[i]


EXPECTED = """
bad_global_array.py:11: `WEIGHTS` is an array from outside the function
   11 |  x[i] = WEIGHTS[i]
      |         ^^^^^^^
  hint: pass it as an argument, or, where it never changes, make it one that cannot: WEIGHTS = mdh.constant(…)
"""
