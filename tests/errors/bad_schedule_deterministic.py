"""A reduction shared by cores, whose order would depend on their number."""

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90))).parallelize("k")
    mdh.jit(schedule=nest, deterministic=True)(matmul)(np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))


EXPECTED = """\
bad_schedule_deterministic.py:17: parallelize: D2: (COR,k): the order of combination would depend on how many cores there are (deterministic)
   17 |  nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90))).parallelize("k")
      |                                                                                       ^^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 64; i++)
        for (j = 0; j < 64; j++)
            for (k = 0; k < 64; k++)
                C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: parallelize('i') is legal"""
