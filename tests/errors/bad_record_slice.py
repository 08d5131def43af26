"""Record slice."""

TYPES = "R"


def f(p):
    return p[1:]["x"].sum()


EXPECTED = """
bad_record_slice.py:7: a slice of records is not supported
    7 |  return p[1:]["x"].sum()
      |         ^^^^^
  hint: take a field first: points['x'][1:]
"""
