"""Array squeeze."""

import numpy as np

TYPES = "M"


def f(M):
    return np.squeeze(M) + 1


EXPECTED = """
bad_array_squeeze.py:9: squeeze without an axis: which axes have length 1 is not known
    9 |  return np.squeeze(M) + 1
      |         ^^^^^^^^^^^^^
  hint: give axis=…
"""
