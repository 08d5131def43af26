"""A random number in a loop that data end."""

import numpy as np

TYPES = "V"


def f(x):
    total = 0.0
    while total < x[0]:
        total += np.random.random()
    return total


EXPECTED = """
bad_random_in_while.py:11: a random number is drawn in a loop that data end
   11 |  total += np.random.random()
      |           ^^^^^^^^^^^^^^^^^^
  each number is computed from the iterations around it, which are counted
  hint: draw an array of them before it
"""
