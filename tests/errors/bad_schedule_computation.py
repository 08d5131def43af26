"""A computation that is not there."""

import numpy as np

from jitmdh import schedule as s


def chain(y, x):
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        t[i] = x[i] + 1
    for i in range(x.shape[0] - 1):
        y[i] = t[i] + t[i + 1]


def f():
    nests = s.build(chain, np.zeros(89), np.zeros(90))
    nests["chain 3"].vectorize("i")


EXPECTED = """
bad_schedule_computation.py:18: there is no computation `chain 3`
   18 |  nests["chain 3"].vectorize("i")
      |  ^^^^^^^^^^^^^^^^
  hint: computations are chain 2, chain; or the array that one writes: t, y
"""
