"""A strip inside its own points."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.tile(i=32).reorder("i", "i.0")


EXPECTED = """\
bad_schedule_strip_inside.py:17: reorder: i.0 would be inside i, whose points are parts of its own
   17 |  nest.tile(i=32).reorder("i", "i.0")
      |                  ^^^^^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? lanes
    // ? cores
    for (i.0 = 0; i.0 < 100; i.0 += 32)
        for (i = i.0; i < min(i.0 + 32, 100); i++)
            for (j = 0; j < 90; j++)
                for (k = 0; k < 80; k++)
                    C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: strip-mine i with other sizes"""
