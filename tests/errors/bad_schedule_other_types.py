"""A nest for other types."""

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90))).vectorize("j")
    mdh.jit(schedule=nest)(matmul)(np.zeros((9, 7), "f4"), np.zeros((9, 5), "f4"), np.zeros((5, 7), "f4"))


EXPECTED = """\
bad_schedule_other_types.py:18: a nest of matmul is used for matmul: A is float64 of rank 2 there, here A is float32 of rank 2
   18 |  mdh.jit(schedule=nest)(matmul)(np.zeros((9, 7), "f4"), np.zeros((9, 5), "f4"), np.zeros((5, 7), "f4"))
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: build it for arguments of these types; other sizes are fine"""
