"""A computation inlined behind a change of what it reads."""

import numpy as np

from jitmdh import schedule as s


def changed(y, x):
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        t[i] = x[i] + 1
    for i in range(x.shape[0]):
        x[i] = 0.0
    for i in range(x.shape[0]):
        y[i] = t[i] * 2


def f():
    nests = s.build(changed, np.zeros(90), np.zeros(90))
    nests["changed"].inline()


EXPECTED = """\
bad_schedule_inline_changed.py:20: inline: `x`, which it reads, is written before its results are used for the last time
   20 |  nests["changed"].inline()
      |                   ^^^^^^^^
  the nest was:
    // changed: i ++
    // ? order
    // ? lanes
    // ? cores
    for (i = 0; i < 90; i++)
        t[i] = f(x[i]);
  hint: leave it out: one runs after the other"""
