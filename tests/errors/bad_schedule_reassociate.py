"""Lanes over a sum whose order has to be kept, said for whatever the function is called with."""

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    lanes = s.vectorize("k")
    mdh.jit(schedule=lanes, reassociate=False)(matmul)(np.zeros((9, 7)), np.zeros((9, 8)), np.zeros((8, 7)))


EXPECTED = """\
bad_schedule_reassociate.py:17: vectorize: the loop over k keeps its order: C[i, j] is a sum or product of floats over k, and reassociate=False
   17 |  lanes = s.vectorize("k")
      |            ^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 9; i++)
        for (j = 0; j < 7; j++)
            C[i, j] = f(C[i, j], A[i, k], B[k, j]);
  hint: vectorize('i') is legal"""
