"""Tiles of less than nothing."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90))).tile(i=-4)


EXPECTED = """\
bad_schedule_negative.py:16: tile: size of the parts of i is -4
   16 |  s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90))).tile(i=-4)
      |                                                                                ^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 100; i++)
        for (j = 0; j < 90; j++)
            for (k = 0; k < 80; k++)
                C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: tile(i=2) is legal"""
