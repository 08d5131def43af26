"""Tiles over time."""

import numpy as np

from jitmdh import schedule as s


def smooth(x, steps):
    for t in range(steps):
        y = x.copy()
        for i in range(1, x.shape[0] - 1):
            x[i] = y[i - 1] + y[i] + y[i + 1]


def f():
    nests = s.build(smooth, np.zeros(90), 4)
    nests.time.tile(t=4)


EXPECTED = """\
bad_schedule_time.py:17: time: a loop over time keeps its order, and is not tiled (skewing)
   17 |  nests.time.tile(t=4)
      |  ^^^^^^^^^^
  hint: compute_at puts a producer inside of its consumer's loop"""
