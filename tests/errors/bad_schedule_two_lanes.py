"""Two vectorised dimensions."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.vectorize("j").vectorize("i")


EXPECTED = """\
bad_schedule_two_lanes.py:17: vectorize: j is vectorised: lanes are those of one dimension
   17 |  nest.vectorize("j").vectorize("i")
      |                      ^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? order
    // ? cores
    for (i = 0; i < 100; i++)
        for (j = 0; j < 90; j++)  // ? lanes
            for (k = 0; k < 80; k++)
                C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: without vectorize('j') it is legal"""
