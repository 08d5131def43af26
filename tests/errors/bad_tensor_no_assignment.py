"""A kernel of nothing."""

from jitmdh import tensor as mt


def f():
    mt.kernel("nothing", [])


EXPECTED = """
bad_tensor_no_assignment.py:7: kernel('nothing', …): there is no assignment
    7 |  mt.kernel("nothing", [])
      |  ^^^^^^^^^^^^^^^^^^^^^^^^
  hint: C["ij"] <= …
"""
