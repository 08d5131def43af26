"""Row as number."""

TYPES = "VM"


def f(y, m):
    for i in range(len(y)):
        y[i] = 2 * m[i]


EXPECTED = """
bad_row_as_number.py:8: `m[i]` is a whole array where a number is needed
    8 |  y[i] = 2 * m[i]
      |             ^^^^
  hint: write a loop over its elements
"""
