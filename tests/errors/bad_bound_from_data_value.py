"""A value for each iteration of a loop with data-dependent bounds."""

TYPES = "VVI"


def f(y, x, counts):
    previous = x[0]
    for i in range(counts[0]):
        y[i] = x[i] - previous
        previous = x[i]


EXPECTED = """
bad_bound_from_data_value.py:8: a loop with bounds from data is sequential
    8 |  for i in range(counts[0]):
      |           ^^^^^^^^^^^^^^^^
  previous[] is set anew by iterations of i
"""
