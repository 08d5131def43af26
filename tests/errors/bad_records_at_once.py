"""Records at once."""

TYPES = "R"


def f(p):
    p = p + p


EXPECTED = """
bad_records_at_once.py:7: `p` is a record where a number is needed
    7 |  p = p + p
      |      ^
  hint: take a field of it: 'x' or 'n'
"""
