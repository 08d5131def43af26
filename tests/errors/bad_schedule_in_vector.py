"""A parallel loop inside of a vector."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((40, 40)), np.zeros((40, 40)), np.zeros((40, 40))).interchange("i", "j")
    nest.vectorize("j", 4).parallelize("i")


EXPECTED = """\
bad_schedule_in_vector.py:17: parallelize: `i` is parallel inside of `j`, whose points are the lanes of one vector
   17 |  nest.vectorize("j", 4).parallelize("i")
      |                         ^^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? cores
    for (j = 0; j < 40; j++)  // 4 lanes
        for (i = 0; i < 40; i++)
            for (k = 0; k < 40; k++)
                C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: parallelize('j') is legal"""
