"""Record as number."""

TYPES = "R"


def f(p):
    for i in range(len(p)):
        p[i]["x"] = p[i] + 1


EXPECTED = """
bad_record_as_number.py:8: `p[i]` is a record where a number is needed
    8 |  p[i]["x"] = p[i] + 1
      |              ^^^^
  hint: take a field of it: 'x' or 'n'
"""
