"""Loop over enumerate."""

TYPES = "VV"


def f(x, y):
    for i, value in enumerate(x):
        y[i] = value


EXPECTED = """
bad_loop_over_enumerate.py:7: a loop over several variables is not supported
    7 |  for i, value in enumerate(x):
      |      ^^^^^^^^
  hint: loop over one index with range
"""
