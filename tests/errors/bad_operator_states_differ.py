"""Operator given states of different kinds."""

import numpy as np

import jitmdh as mdh

TYPES = "M"


@mdh.operator(identity=(-np.inf, -1), commutative=False)
def better(a, b):
    return b if b[0] > a[0] else a


def f(x):
    best = (np.float32(-np.inf), -1)
    for i in range(len(x)):
        best = better(best, (x[i, 0], i, 0))
    return best[1]


EXPECTED = """
bad_operator_states_differ.py:18: operator `better` is given states of 2 components and 3 components
   18 |  best = better(best, (x[i, 0], i, 0))
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  a combine operator takes two states of one kind and gives another
  hint: give it what one iteration contributes as a whole state
"""
