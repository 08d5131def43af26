"""Bounds from data, under a condition."""

TYPES = "VI"


def f(x, counts):
    for i in range(len(x)):
        if x[i] > 0:
            for k in range(counts[i]):
                x[i] += 1


EXPECTED = """
bad_bound_from_data_condition.py:9: bound `counts[i]` of the loop depends on data, under a condition
    9 |  for k in range(counts[i]):
      |                 ^^^^^^^^^
  hint: take the condition into the loop
"""
