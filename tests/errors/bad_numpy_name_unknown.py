"""A name that NumPy does not have."""

import numpy as np

TYPES = "V"


def f(x):
    return np.zero_like(x)


EXPECTED = """
bad_numpy_name_unknown.py:9: `np` has no attribute `zero_like`
    9 |  return np.zero_like(x)
      |         ^^^^^^^^^^^^
  hint: did you mean `zeros_like`?
"""
