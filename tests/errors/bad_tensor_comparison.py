"""Formulas compared as such, where their elements were meant."""

from jitmdh import tensor as mt


def f():
    x, y, z = (mt.Tensor(name, (3,)) for name in "xyz")
    mt.kernel("equal", z["i"] <= (x["i"] == y["i"]) * x["i"])


EXPECTED = """
bad_tensor_comparison.py:8: False is no part of a formula
    8 |  mt.kernel("equal", z["i"] <= (x["i"] == y["i"]) * x["i"])
      |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  `==` and `!=` compare two formulas as such, not their elements
  hint: np.equal(a, b), np.not_equal(a, b); the value is np.bool_(False)
"""
