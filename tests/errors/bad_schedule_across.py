"""Loops of two computations in each other's place."""

import numpy as np

from jitmdh import schedule as s


def chain(y, t, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            t[i, j] = x[i, j] + 1
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            y[i] += t[i, k]


def f():
    nests = s.build(chain, np.zeros(9), np.zeros((9, 7)), np.zeros((9, 7)))
    nests["chain"].interchange("i", "k")


EXPECTED = """\
bad_schedule_across.py:19: interchange: k is a loop of chain 2, not of chain
   19 |  nests["chain"].interchange("i", "k")
      |                 ^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // chain: i ++, j ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 9; i++)
        for (j = 0; j < 7; j++)
            t[i, j] = f(x[i, j]);
  hint: interchange('i', 'j') is legal"""
