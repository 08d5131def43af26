"""A producer inside of tiles of one of two that need it."""

import numpy as np

from jitmdh import schedule as s


def twice(y, z, x):
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        t[i] = x[i] + 1
    for i in range(x.shape[0] - 2):
        y[i] = t[i] + t[i + 1] + t[i + 2]
    for i in range(x.shape[0] - 1):
        z[i] = t[i] * t[i + 1]


def f():
    nests = s.build(twice, np.zeros(88), np.zeros(89), np.zeros(90))
    nests["twice"].compute_at(nests["twice 2"].stripmine("i", 16), "i.0")


EXPECTED = """\
bad_schedule_elsewhere.py:20: compute_at: `t` is needed elsewhere, too
   20 |  nests["twice"].compute_at(nests["twice 2"].stripmine("i", 16), "i.0")
      |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // twice: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 90; i++)
        t[i] = f(x[i]);

    // twice 2: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i.0 = 0; i.0 < 88; i.0 += 16)
        for (i = i.0; i < min(i.0 + 16, 88); i++)
            y[i] = f(t[i], t[i + 1], t[i + 2]);
  hint: leave it out: one runs after the other"""
