"""Complex arcsin."""

TYPES = "Z"


import numpy as np


def f(x):
    for i in range(len(x)):
        x[i] = np.arcsin(x[i])


EXPECTED = """
bad_complex_arcsin.py:11: `arcsin` of complex numbers is not supported
   11 |  x[i] = np.arcsin(x[i])
      |         ^^^^^^^^^^^^^^^
  hint: write it with real and imaginary parts
"""
