"""Array moveaxis."""

import numpy as np

TYPES = "M"


def f(M):
    return np.moveaxis(M, 0, (0, 1))


EXPECTED = """
bad_array_moveaxis.py:9: moveaxis moves as many axes as there are places for them
    9 |  return np.moveaxis(M, 0, (0, 1))
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^
"""
