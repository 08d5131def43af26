"""An iterator that stands for axes of two extents."""

from jitmdh import tensor as mt


def f():
    A, B = mt.Tensor("A", (300, 400)), mt.Tensor("B", (500, 20))
    mt.vop("mul", A, B, ["ik", "kj"])


EXPECTED = """\
bad_tensor_iterators.py:8: B["kj"]: k is 500 in a tensor of shape (500, 20), and 400 before
    8 |  mt.vop("mul", A, B, ["ik", "kj"])
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"""
