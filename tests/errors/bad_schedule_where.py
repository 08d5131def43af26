"""Conditions that nothing satisfies."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.tile(i=s.among(8, 16), j=s.any).where("i > 8").where("i < 16")


EXPECTED = """\
bad_schedule_where.py:17: where: nothing satisfies `i > 8` and tile(i=s.among(8, 16), j=s.any) (bad_schedule_where.py:17)
   17 |  nest.tile(i=s.among(8, 16), j=s.any).where("i > 8").where("i < 16")
      |                                                      ^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? lanes
    // ? cores
    // ? tile(i=s.among(8, 16), j=s.any)
    for (i.0 = 0; i.0 < 100; i.0 += ?)
        for (j.0 = 0; j.0 < 90; j.0 += ?)
            for (i = i.0; i < min(i.0 + ?, 100); i++)
                for (j = j.0; j < min(j.0 + ?, 90); j++)
                    for (k = 0; k < 80; k++)
                        C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: leave one of the two out"""
