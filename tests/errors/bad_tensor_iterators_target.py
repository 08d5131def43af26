"""An axis of the result that the operands do not have."""

from jitmdh import tensor as mt


def f():
    A, B = mt.Tensor("A", (3, 4)), mt.Tensor("B", (4, 2))
    mt.op("mul", A, B, ["ik", "kj"], "il")


EXPECTED = """\
bad_tensor_iterators_target.py:8: eq: `i l` names `l`, and the axes are `i k j`
    8 |  mt.op("mul", A, B, ["ik", "kj"], "il")
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"""
