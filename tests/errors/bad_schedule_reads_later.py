"""Results that are read again are not written by non-temporal stores."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.reorder("k", "i", "j").write_to("MM")


EXPECTED = """\
bad_schedule_reads_later.py:17: write_to: S5: C is read again for each part of (L2,k): non-temporal stores may not have arrived yet
   17 |  nest.reorder("k", "i", "j").write_to("MM")
      |                              ^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? lanes
    // ? cores
    for (k = 0; k < 80; k++)
        for (i = 0; i < 100; i++)
            for (j = 0; j < 90; j++)
                C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: write_to('L1') is legal"""
