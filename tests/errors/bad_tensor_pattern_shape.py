"""A pattern of another shape."""

import numpy as np

from jitmdh import tensor as mt


def f():
    mt.Tensor("A", (2, 3), pattern=np.eye(2, dtype=bool))


EXPECTED = """
bad_tensor_pattern_shape.py:9: Tensor('A'): a pattern of shape (2, 2) for a tensor of shape (2, 3)
    9 |  mt.Tensor("A", (2, 3), pattern=np.eye(2, dtype=bool))
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
