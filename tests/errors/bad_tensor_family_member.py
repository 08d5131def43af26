"""A member that a family does not have."""

from jitmdh import tensor as mt


def f():
    x, y = mt.Tensor("x", (3,)), mt.Tensor("y", (3,))
    mt.family("scaled", (4, 3), lambda i, h: y["i"] <= (i + h) * x["i"])[4, 0]


EXPECTED = """
scaled[4, 0]: the family has the shape (4, 3)
"""
