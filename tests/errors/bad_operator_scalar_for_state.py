"""Operator given a number for a state."""

import numpy as np

import jitmdh as mdh

TYPES = "M"


@mdh.operator(identity=(-np.inf, -1), commutative=False)
def better(a, b):
    return b if b[0] > a[0] else a


def f(x):
    best = (np.float32(-np.inf), -1)
    for i in range(len(x)):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        best = better(best, total)
    return best[1]


EXPECTED = """
bad_operator_scalar_for_state.py:21: operator `better` is given states of 2 components and 1 component
   21 |  best = better(best, total)
      |         ^^^^^^^^^^^^^^^^^^^
  a combine operator takes two states of one kind and gives another
  hint: give it what one iteration contributes as a whole state
"""
