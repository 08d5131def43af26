"""Rows of an array have one length."""

import numpy as np

TYPES = "V"


def f(x):
    a = np.array([[1, 2], [3]])
    x[0] = a[0, 0]


EXPECTED = """
bad_array_of_rows_of_several_lengths.py:9: rows of an array have several lengths
    9 |  a = np.array([[1, 2], [3]])
      |               ^^^^^^^^^^^^^
"""
