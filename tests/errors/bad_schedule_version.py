"""A nest written by another version."""

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    data = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90))).vectorize("j").data()
    data["nest"]["version"] = 7
    mdh.jit(schedule=data)


EXPECTED = """\
bad_schedule_version.py:19: schedule: written as version 7, this jitmdh reads version 1
   19 |  mdh.jit(schedule=data)
      |      ^^^^^^^^^^^^^^^^^^
  hint: build the nest again, and write it by this version"""
