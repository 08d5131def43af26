"""Foreign function."""

import random

TYPES = "V"


def f(x):
    for i in range(len(x)):
        x[i] = random.random()


EXPECTED = """
bad_foreign_function.py:10: `random.random` cannot be compiled
   10 |  x[i] = random.random()
      |         ^^^^^^^^^^^^^^^
  hint: call plain Python, math or NumPy functions
"""
