"""An extent that is no integer."""

from jitmdh import tensor as mt


def f():
    mt.Tensor("A", (2.5, 3))


EXPECTED = """
bad_tensor_extent_fraction.py:7: Tensor('A'): 2.5 is no extent
    7 |  mt.Tensor("A", (2.5, 3))
      |  ^^^^^^^^^^^^^^^^^^^^^^^^
"""
