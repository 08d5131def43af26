"""Counts in bins."""

import numpy as np

TYPES = "V"


def f(x):
    return np.histogram(x, 10)


EXPECTED = """
bad_array_histogram.py:9: `np.histogram` is not supported
    9 |  return np.histogram(x, 10)
      |         ^^^^^^^^^^^^^^^^^^^
  hint: make an array of counts, and np.add.at(counts, …, 1)
"""
