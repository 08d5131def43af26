"""Bounds from data, with a step."""

TYPES = "VI"


def f(x, starts):
    for i in range(0, starts[0], 2):
        x[i] = 1


EXPECTED = """
bad_bound_from_data_step.py:7: a loop with bounds from data has a step
    7 |  for i in range(0, starts[0], 2):
      |           ^^^^^^^^^^^^^^^^^^^^^^
  hint: take every element, and skip by an if
"""
