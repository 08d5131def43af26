"""A result where the target has a known zero."""

from jitmdh import tensor as mt


def f():
    A, x = mt.Tensor("A", (2, 2), pattern=mt.lower), mt.Tensor("x", (2, 2))
    mt.kernel("copy", A["ij"] <= x["ij"])


EXPECTED = """
bad_tensor_off_the_pattern.py:8: `A["ij"] <= x["ij"]`: the right side may be other than zero at (0, 1), where A has a known zero
    8 |  mt.kernel("copy", A["ij"] <= x["ij"])
      |                    ^^^^^^^^^^^^^^^^^^
"""
