"""Tiles of unknown size around two computations."""

import numpy as np

from jitmdh import schedule as s


def blur(y, x):
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        t[i] = x[i] + 1
    for i in range(x.shape[0] - 1):
        y[i] = t[i] + t[i + 1]


def f():
    nests = s.build(blur, np.zeros(89), np.zeros(90))
    nests["blur"].compute_at(nests["blur 2"].stripmine("i", s.any), "i.0")


EXPECTED = """\
bad_schedule_open_tile.py:18: compute_at: the size of these tiles is open
   18 |  nests["blur"].compute_at(nests["blur 2"].stripmine("i", s.any), "i.0")
      |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // blur: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 90; i++)
        t[i] = f(x[i]);
  hint: give a number to stripmine('i', s.any)"""
