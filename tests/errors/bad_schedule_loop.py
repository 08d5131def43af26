"""A loop that is not there."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.tile(i=32).interchange("i.2", "j")


EXPECTED = """\
bad_schedule_loop.py:17: interchange: there is no loop `i.2`
   17 |  nest.tile(i=32).interchange("i.2", "j")
      |                  ^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? lanes
    // ? cores
    for (i.0 = 0; i.0 < 100; i.0 += 32)
        for (i = i.0; i < min(i.0 + 32, 100); i++)
            for (j = 0; j < 90; j++)
                for (k = 0; k < 80; k++)
                    C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: interchange('i', 'j') is legal"""
