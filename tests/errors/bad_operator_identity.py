"""Operator identity."""

from jitmdh.mdh.frontend.symbolic.operators import operator

TYPES = "V"


@operator(identity=0.0)
def better(a, b):
    return b if b[0] > a[0] else a


def f(x):
    best = (0.0, 0)
    for i in range(len(x)):
        best = better(best, (x[i], i))
    return best


EXPECTED = """
bad_operator_identity.py:16: the identity of operator `better` is no state of 2 components
   16 |  best = better(best, (x[i], i))
      |         ^^^^^^^^^^^^^^^^^^^^^^^
"""
