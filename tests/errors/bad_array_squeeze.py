"""Array squeeze."""

import numpy as np

TYPES = "V"


def f(x):
    return np.squeeze(x[x > 0]) + 1


EXPECTED = """
bad_array_squeeze.py:9: squeeze without an axis: data decide which axes have length 1
    9 |  return np.squeeze(x[x > 0]) + 1
      |         ^^^^^^^^^^^^^^^^^^^^
  hint: give axis=…
"""
