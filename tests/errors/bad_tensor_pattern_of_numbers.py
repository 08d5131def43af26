"""Numbers as a pattern."""

import numpy as np

from jitmdh import tensor as mt


def f():
    mt.Tensor("A", (2, 2), pattern=np.eye(2))


EXPECTED = """
bad_tensor_pattern_of_numbers.py:9: Tensor('A'): a pattern of float64: it says only which elements may be other than zero
    9 |  mt.Tensor("A", (2, 2), pattern=np.eye(2))
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: pattern=array != 0, or values=array for a constant
"""
