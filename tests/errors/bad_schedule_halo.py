"""A producer of which each point of the consumer needs elements far away."""

import numpy as np

from jitmdh import schedule as s


def folded(y, x):
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        t[i] = x[i] + 1
    for i in range(x.shape[0]):
        y[i] = t[i] + t[x.shape[0] - 1 - i]


def f():
    nests = s.build(folded, np.zeros(90), np.zeros(90))
    nests["folded"].compute_at(nests["folded 2"].stripmine("i", 16), "i.0")


EXPECTED = """\
bad_schedule_halo.py:18: compute_at: the halo is not bounded: a point of i needs `t[-i + x.shape[0] - 1]`
   18 |  nests["folded"].compute_at(nests["folded 2"].stripmine("i", 16), "i.0")
      |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // folded: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 90; i++)
        t[i] = f(x[i]);

    // folded 2: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i.0 = 0; i.0 < 90; i.0 += 16)
        for (i = i.0; i < min(i.0 + 16, 90); i++)
            y[i] = f(t[i], t[-i + x.shape[0] - 1]);
  hint: leave it out: one runs after the other"""
