"""A loop over parts, where a dimension is wanted."""

import numpy as np

from jitmdh import schedule as s


def scaled(y, x):
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


def f():
    s.build(scaled, np.zeros(90), np.zeros(90)).stripmine("i", 8).stripmine("i.0", 32)


EXPECTED = """
bad_schedule_strip_of_strip.py:14: stripmine: `i.0` is a loop over parts of i: its dimension is wanted
   14 |  s.build(scaled, np.zeros(90), np.zeros(90)).stripmine("i", 8).stripmine("i.0", 32)
      |                                                                ^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // scaled: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i.0 = 0; i.0 < 90; i.0 += 8)
        for (i = i.0; i < min(i.0 + 8, 90); i++)
            y[i] = f(x[i]);
  hint: stripmine('i', 32) is legal
"""
