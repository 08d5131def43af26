"""Array where no bools."""

import numpy as np

TYPES = "V"


def f(x):
    return np.sum(x, where=x)


EXPECTED = """
bad_array_where_no_bools.py:9: `where` of `sum` is no array of bools
    9 |  return np.sum(x, where=x)
      |         ^^^^^^^^^^^^^^^^^^
  hint: compare: where=x > 0
"""
