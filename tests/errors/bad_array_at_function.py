"""An update that is none of the known ones."""

import numpy as np

TYPES = "VIV"


def f(h, index, w):
    np.hypot.at(h, index, w)


EXPECTED = """
bad_array_at_function.py:9: `np.hypot.at` is not supported
    9 |  np.hypot.at(h, index, w)
      |  ^^^^^^^^^^^^^^^^^^^^^^^^
  hint: there are np.add.at, np.multiply.at, np.minimum.at, np.maximum.at, np.bitwise_and.at, np.bitwise_or.at, np.bitwise_xor.at, np.subtract.at
"""
