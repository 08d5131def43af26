"""Parts that do not fill the parts around them."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.stripmine("k", 32).stripmine("k", 24)


EXPECTED = """\
bad_schedule_strips.py:17: stripmine: k: parts of 24 do not fill parts of 32
   17 |  nest.stripmine("k", 32).stripmine("k", 24)
      |                          ^^^^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 100; i++)
        for (j = 0; j < 90; j++)
            for (k.0 = 0; k.0 < 80; k.0 += 32)
                for (k = k.0; k < min(k.0 + 32, 80); k++)
                    C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: stripmine('k', 16) is legal"""
