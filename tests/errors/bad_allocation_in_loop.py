"""Allocation in loop."""

import numpy as np

TYPES = "V"


def f(x):
    for i in range(len(x)):
        t = np.zeros(3)
        x[i] = t[0]


EXPECTED = """
bad_allocation_in_loop.py:10: an array is allocated inside a loop
   10 |  t = np.zeros(3)
      |      ^^^^^^^^^^^
  hint: allocate it before the loop, one row per iteration
"""
