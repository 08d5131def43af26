"""A condition that nothing decided so far can meet."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.where("i <= 8")


EXPECTED = """\
bad_schedule_where_alone.py:17: where: nothing satisfies `i <= 8`
   17 |  nest.where("i <= 8")
      |       ^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 100; i++)
        for (j = 0; j < 90; j++)
            for (k = 0; k < 80; k++)
                C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: leave it out: the nest before it is legal"""
