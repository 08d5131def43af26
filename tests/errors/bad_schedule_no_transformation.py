"""What is no transformation behind a nest."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest | 32


EXPECTED = """\
bad_schedule_no_transformation.py:17: |: 32 is no transformation
   17 |  nest | 32
      |  ^^^^^^^^^
  hint: such as s.tile(i=32), without a nest"""
