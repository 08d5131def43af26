"""How many arrays there are is not known."""

import numpy as np

TYPES = "V"


def f(x):
    n = 0
    while x[n] < 1:
        pair = np.zeros(2)
        pair[0] = x[n]
        n += 1


EXPECTED = """
bad_allocation_in_loop.py:11: an array is allocated inside a loop whose end depends on data
   11 |  pair = np.zeros(2)
      |         ^^^^^^^^^^^
  how often is not known before
  hint: allocate it before the loop
"""
