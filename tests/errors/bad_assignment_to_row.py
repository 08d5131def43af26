"""Assignment to row."""

TYPES = "MV"


def f(m, x):
    for i in range(len(x)):
        m[i] = x[i]


EXPECTED = """
bad_assignment_to_row.py:8: assignment to a whole row
    8 |  m[i] = x[i]
      |  ^^^^
  hint: write a loop over its elements
"""
