"""A batch whose elements share what each of them writes."""

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (3,)), mt.Tensor("y", (3,))
    mt.kernel("twice", y["i"] <= 2 * x["i"]).batched(shared="y")


EXPECTED = """
twice.batched: y cannot be shared, since the kernel writes it
"""
