"""More strips than there are layers."""

import numpy as np

from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    nest = s.build(matmul, np.zeros((100, 90)), np.zeros((100, 80)), np.zeros((80, 90)))
    nest.stripmine("k", 4).stripmine("k", 8).stripmine("k", 16).stripmine("k", 32)


EXPECTED = """\
bad_schedule_layers.py:17: stripmine: k has 3 strips already, on the layers L2, L3 and MM, inside threads and around L1, registers and lanes
   17 |  nest.stripmine("k", 4).stripmine("k", 8).stripmine("k", 16).stripmine("k", 32)
      |                                                              ^^^^^^^^^^^^^^^^^^
  the nest was:
    // matmul: i ++, j ++, k •(add)
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 100; i++)
        for (j = 0; j < 90; j++)
            for (k.0 = 0; k.0 < 80; k.0 += 16)
                for (k.1 = k.0; k.1 < min(k.0 + 16, 80); k.1 += 8)
                    for (k.2 = k.1; k.2 < min(k.1 + 8, 80); k.2 += 4)
                        for (k = k.2; k < min(k.2 + 4, 80); k++)
                            C[i, j] •(add)= f(A[i, k], B[k, j]);
  hint: stripmine('i', 32) is legal"""
