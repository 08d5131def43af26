"""Axis that a reduction has taken away."""

import numpy as np

TYPES = "M"


def f(x):
    return np.max(np.sum(x, axis=1), axis=1)


EXPECTED = """
bad_reduced_axis_again.py:9: axis 1 is out of bounds for an array of 1 dimension
    9 |  return np.max(np.sum(x, axis=1), axis=1)
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
