"""Two assignments in one."""

from jitmdh import tensor as mt


def f():
    A, B, C = (mt.Tensor(n, (2, 2)) for n in "ABC")
    mt.kernel("chain", A["ij"] <= B["ij"] <= C["ij"])


EXPECTED = """
bad_tensor_chain.py:8: `A["ij"] <= B["ij"]` has no truth value
    8 |  mt.kernel("chain", A["ij"] <= B["ij"] <= C["ij"])
      |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: assign one tensor at a time: Python reads `A <= B <= C` as `A <= B and B <= C`
"""
