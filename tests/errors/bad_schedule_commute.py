"""Loops over one operator in another order, which it does not allow."""

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


@mdh.operator(identity=0.0, commutative=False)
def first(a, b):
    return a if a != 0.0 else b


def leading(y, x):
    for i in range(x.shape[0]):
        found = 0.0
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                found = first(found, x[i, j, k])
        y[i] = found


def f():
    s.build(leading, np.zeros(9), np.zeros((9, 8, 7))).interchange("j", "k")


EXPECTED = """\
bad_schedule_commute.py:24: interchange: the operator does not commute: collapsed dimensions must stay in order, unsplit
   24 |  s.build(leading, np.zeros(9), np.zeros((9, 8, 7))).interchange("j", "k")
      |                                                     ^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // leading: i ++, j •(first), k •(first)
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 9; i++)
        for (j = 0; j < 8; j++)
            for (k = 0; k < 7; k++)
                y[i] •(first)= f(x[i, j, k]);
  hint: interchange('j', 'i') is legal"""
