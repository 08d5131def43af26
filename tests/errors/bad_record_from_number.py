"""Record from number."""

TYPES = "R"


def f(p):
    for i in range(len(p)):
        p[i] = 0


EXPECTED = """
bad_record_from_number.py:8: a record of 2 fields is assigned something else
    8 |  p[i] = 0
      |  ^^^^
  hint: assign a tuple of 2 numbers, or a record
"""
