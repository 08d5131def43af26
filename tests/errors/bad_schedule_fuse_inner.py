"""One loop in which an element would be read before it is written."""

import numpy as np

from jitmdh import schedule as s


def backwards(y, z, x):
    for i in range(x.shape[0]):
        y[i] = x[i] + 1
    for i in range(x.shape[0]):
        z[i] = y[x.shape[0] - 1 - i] * 2


def f():
    nests = s.build(backwards, np.zeros(90), np.zeros(90), np.zeros(90))
    nests["backwards"].fuse_inner(nests["backwards 2"])


EXPECTED = """\
bad_schedule_fuse_inner.py:17: fuse_inner: `y[-i + x.shape[0] - 1]` would be read before all of `y[i]` is written
   17 |  nests["backwards"].fuse_inner(nests["backwards 2"])
      |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // backwards: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 90; i++)
        y[i] = f(x[i]);
  hint: leave it out: one runs after the other"""
