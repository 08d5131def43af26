"""Array accumulate flat."""

import numpy as np

TYPES = "M"


def f(M):
    return np.cumsum(M)


EXPECTED = """
bad_array_accumulate_flat.py:9: `cumsum` of an array with several axes needs one of them
    9 |  return np.cumsum(M)
      |         ^^^^^^^^^^^^
  hint: give axis=…
"""
