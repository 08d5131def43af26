"""Record from longer tuple."""

TYPES = "R"


def f(p):
    for i in range(len(p)):
        p[i] = 1, 2, 3


EXPECTED = """
bad_record_from_longer_tuple.py:8: a record of 2 fields is assigned something else
    8 |  p[i] = 1, 2, 3
      |  ^^^^
  hint: assign a tuple of 2 numbers, or a record
"""
