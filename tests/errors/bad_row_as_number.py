"""Row as number."""

TYPES = "VM"


def f(y, m):
    for i in range(len(y)):
        y[i] = 2 * m[i]


EXPECTED = """
bad_row_as_number.py:8: an array is assigned to one element, `y[i]`
    8 |  y[i] = 2 * m[i]
      |  ^^^^
  hint: assign a number
"""
