"""Break in a loop over several indices."""

import numpy as np

TYPES = "M"


def f(x):
    for i, j in np.ndindex(3, 3):
        if x[i, j] > 0:
            break


EXPECTED = """
bad_break_over_several_indices.py:9: break in a loop over several indices
    9 |  for i, j in np.ndindex(3, 3):
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: write loops over range, one in the other
"""
