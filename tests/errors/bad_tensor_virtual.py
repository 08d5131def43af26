"""A sum under a function is computed before what it is part of."""

import numpy as np

from jitmdh import tensor as mt


def f():
    A, B, C = (mt.Tensor(name, (6, 6)) for name in "ABC")
    mt.kernel("root", C["ij"] <= A["ij"] * np.sqrt((A["ik"] * B["kj"]).virtual()))


EXPECTED = """\
bad_tensor_virtual.py:10: `(total(add, "k", A["ik"] * B["kj"])).virtual()` is computed before the rest: it is an operand of `sqrt`
   10 |  mt.kernel("root", C["ij"] <= A["ij"] * np.sqrt((A["ik"] * B["kj"]).virtual()))
      |                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: leave .virtual() out"""
