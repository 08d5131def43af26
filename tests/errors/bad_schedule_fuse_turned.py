"""One loop in which a dependence would turn round."""

import numpy as np

from jitmdh import schedule as s


def reverse(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i] * 2
    for i in range(x.shape[0]):
        x[x.shape[0] - 1 - i] = y[i] * 3


def f():
    nests = s.build(reverse, np.zeros(90), np.zeros(90))
    nests["reverse"].fuse_outer(nests["reverse 2"])


EXPECTED = """\
bad_schedule_fuse_turned.py:17: fuse_outer: a point needs elements of `x` that other points compute
   17 |  nests["reverse"].fuse_outer(nests["reverse 2"])
      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // reverse: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 90; i++)
        y[i] = f(x[i]);

    // reverse 2: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 90; i++)
        x[-i + x.shape[0] - 1] = f(y[i]);
  hint: leave it out: one runs after the other"""
