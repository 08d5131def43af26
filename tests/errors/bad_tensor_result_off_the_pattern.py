"""A number where a tensor that is only written has a known zero."""

import numpy as np

from jitmdh import tensor as mt


def f():
    A, R = mt.Tensor("A", (2, 2), pattern=mt.lower), mt.Tensor("R", (2, 2), pattern=mt.lower)
    double = mt.kernel("double", R["ij"] <= 2 * A["ij"])
    double(A=np.tril(np.ones((2, 2))), R=np.full((2, 2), 7.0))


EXPECTED = """
double: R[0, 1] is 7.0, where R has a known zero
  hint: jitmdh.tensor.trust() leaves this check out
"""
