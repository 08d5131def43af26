"""A negative extent."""

from jitmdh import tensor as mt


def f():
    mt.Tensor("A", (2, -3))


EXPECTED = """
bad_tensor_extent_negative.py:7: Tensor('A'): the extent -3 is negative
    7 |  mt.Tensor("A", (2, -3))
      |  ^^^^^^^^^^^^^^^^^^^^^^^
"""
