"""A transformation across computations."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.compute_at(nest, "i")


EXPECTED = """\
bad_schedule_compute_at.py:17: compute_at: transformations across computations are not there yet
   17 |  nest.compute_at(nest, "i")
      |       ^^^^^^^^^^^^^^^^^^^^^
  hint: schedule each computation by itself, or write the loops as one nest"""
