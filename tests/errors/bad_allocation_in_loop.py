"""How long the longest array is, is not known before the loop."""

import numpy as np

TYPES = "VI"


def f(x, counts):
    n = 0
    while x[n] < 1:
        row = np.zeros(counts[n])
        row[:] = x[n]
        x[n] = row.sum()
        n += 1


EXPECTED = """
bad_allocation_in_loop.py:11: an array whose length data decide is needed inside of loops
   11 |  row = np.zeros(counts[n])
      |        ^^^^^^^^^^^^^^^^^^^
  it is made before the loops, and how large the largest is has to be known there
  hint: allocate it before the loop, as long as it may be
"""
