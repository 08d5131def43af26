"""Record updated."""

TYPES = "R"


def f(p):
    for i in range(len(p)):
        p[i] += 1


EXPECTED = """
bad_record_updated.py:8: a whole record is updated
    8 |  p[i] += 1
      |  ^^^^
  hint: update its fields, each on its own
"""
