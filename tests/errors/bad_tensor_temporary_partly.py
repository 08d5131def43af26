"""A temporary of which a part is written, and all is read."""

from jitmdh import tensor as mt


def f():
    x, y, t = mt.Tensor("x", (3, 2)), mt.Tensor("y", (3, 2)), mt.temporary("t", (3, 2))
    rows = [t["ij"].at(i=0) <= x["ij"].at(i=0), t["ij"].at(i=2) <= x["ij"].at(i=2)]
    mt.kernel("copy", [*rows, y["ij"] <= t["ij"]])


EXPECTED = """
bad_tensor_temporary_partly.py:9: `t["ij"]`: t[1, 0] is read before anything is written to it
    9 |  mt.kernel("copy", [*rows, y["ij"] <= t["ij"]])
      |                                       ^^^^^^^
  hint: write all of t first, such as zeros
"""
