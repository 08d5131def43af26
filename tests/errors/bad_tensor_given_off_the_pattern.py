"""A number where the tensor has a known zero."""

import numpy as np

from jitmdh import tensor as mt


def f():
    A, y = mt.Tensor("A", (2, 2), pattern=mt.lower), mt.Tensor("y", (2,))
    sums = mt.kernel("sums", y["i"] <= A["ij"])
    sums(A=np.array([[1.0, 1e-300], [1.0, 1.0]]))


EXPECTED = """
sums: A[0, 1] is 1e-300, where A has a known zero
  hint: jitmdh.tensor.trust() leaves this check out
"""
