"""A value for each iteration of a loop whose bounds the data decide."""

TYPES = "VVI"


def f(y, x, counts):
    s = x[0]
    for i in range(counts[0]):
        s = s * x[i] + 1
        y[i] = s


EXPECTED = """
bad_bound_from_data_value.py:8: a loop with bounds from data is sequential
    8 |  for i in range(counts[0]):
      |           ^^^^^^^^^^^^^^^^
  the update of s[] over i is no recognised or declared associative operator (if it is one, declare it: combine={"i": …})
"""
