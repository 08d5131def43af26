"""Step unknown."""

TYPES = "Vn"


def f(x, n):
    for i in range(0, len(x), n):
        x[i] = 1


EXPECTED = """
bad_step_unknown.py:7: step `n` of the loop is not a constant
    7 |  for i in range(0, len(x), n):
      |                            ^
  an index with an unknown step is not affine
  hint: loop over the number of steps
"""
