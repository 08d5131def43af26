"""Array out axes."""

import numpy as np

TYPES = "MV"


def f(M, x):
    np.sum(M, axis=0, out=M)


EXPECTED = """
bad_array_out_axes.py:9: out has 2 axes, the result 1 axis
    9 |  np.sum(M, axis=0, out=M)
      |                        ^
"""
