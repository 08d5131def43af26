"""Tiles that overwrite what their neighbours still read."""

import numpy as np

from jitmdh import schedule as s


def smooth(x):
    t = np.empty(x.shape)
    for i in range(x.shape[0] - 1):
        t[i] = x[i] + x[i + 1]
    for i in range(x.shape[0] - 2):
        x[i] = t[i] * t[i + 1]


def f():
    nests = s.build(smooth, np.zeros(90))
    nests["smooth"].compute_at(nests["smooth 2"].stripmine("i", 16), "i.0")


EXPECTED = """\
bad_schedule_in_place.py:18: compute_at: a point needs elements of `x` that other points compute
   18 |  nests["smooth"].compute_at(nests["smooth 2"].stripmine("i", 16), "i.0")
      |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // smooth: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 89; i++)
        t[i] = f(x[i], x[i + 1]);

    // smooth 2: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i.0 = 0; i.0 < 88; i.0 += 16)
        for (i = i.0; i < min(i.0 + 16, 88); i++)
            x[i] = f(t[i], t[i + 1]);
  hint: leave it out: one runs after the other"""
