"""A parallel loop over what has an order."""

import numpy as np

from jitmdh import schedule as s


def filtered(y, x):
    for i in range(1, x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = y[i - 1, j] * y[i - 1, j] + x[i, j]


def f():
    nest = s.build(filtered, np.zeros((9, 7)), np.zeros((9, 7)))
    nest.parallelize("i")


EXPECTED = """\
bad_schedule_in_order.py:16: parallelize: the loop over i keeps its order: y[i + 1, j] reads y[i, j], written one step before
   16 |  nest.parallelize("i")
      |       ^^^^^^^^^^^^^^^^
  the nest was:
    // filtered: j ++
    // ? order
    // ? lanes
    // ? cores
    for (j = 0; j < 7; j++)
        y[i + 1, j] = f(y[i, j], x[i + 1, j]);
  hint: parallelize('j') is legal"""
