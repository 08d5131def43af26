"""Array out type."""

import numpy as np

TYPES = "VI"


def f(x, k):
    np.add(x, 1.5, out=k)


EXPECTED = """
bad_array_out_type.py:9: an array of int64 cannot take in float32
    9 |  np.add(x, 1.5, out=k)
      |                     ^
  hint: convert it with astype
"""
