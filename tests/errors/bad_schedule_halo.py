"""A producer whose points several of the consumer's need."""

import numpy as np

from jitmdh import schedule as s


def blur(y, x):
    t = np.empty(x.shape)
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1]):
            t[i, j] = x[i, j] + x[i + 1, j] + x[i + 2, j]
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1] - 2):
            y[i, j] = t[i, j] + t[i, j + 1] + t[i, j + 2]


def f():
    nests = s.build(blur, np.zeros((9, 7)), np.zeros((9, 7)))
    nests["blur"].compute_at(nests["blur 2"], "j")


EXPECTED = """\
bad_schedule_halo.py:20: compute_at: one loop has x.shape[1] points, the other x.shape[1] - 2
   20 |  nests["blur"].compute_at(nests["blur 2"], "j")
      |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // blur: i ++, j ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 7; i++)
        for (j = 0; j < 7; j++)
            t[i, j] = f(x[i, j], x[i + 1, j], x[i + 2, j]);

    // blur 2: i ++, j ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 7; i++)
        for (j = 0; j < 5; j++)
            y[i, j] = f(t[i, j], t[i, j + 1], t[i, j + 2]);
  hint: compute_at over 'i' is legal"""
