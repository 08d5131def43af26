"""Array where without initial."""

import numpy as np

TYPES = "V"


def f(x):
    return np.max(x, where=x > 0)


EXPECTED = """
bad_array_where_without_initial.py:9: `max` of elements chosen by `where` needs an initial value
    9 |  return np.max(x, where=x > 0)
      |         ^^^^^^^^^^^^^^^^^^^^^^
  hint: give initial=…
"""
