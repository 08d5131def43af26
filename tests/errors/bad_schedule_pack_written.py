"""A copy of what is written."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.pack("C")


EXPECTED = """\
bad_schedule_pack_written.py:17: pack: `C` is written: only what is read alone can be copied
   17 |  nest.pack("C")
      |       ^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 100; i++)
        for (j = 0; j < 90; j++)
            for (k = 0; k < 80; k++)
                C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: pack('A') is legal"""
