"""Bounds from data, around whole arrays that depend on each other."""

TYPES = "MI"


def f(x, counts):
    for i in range(counts[0]):
        x[i + 1, :] = x[i, :] * 2


EXPECTED = """
bad_bound_from_data_sequential.py:7: a loop with bounds from data is sequential
    7 |  for i in range(counts[0]):
      |           ^^^^^^^^^^^^^^^^
  an earlier statement of the next iteration of i depends on x
"""
