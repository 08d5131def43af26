"""A record is returned."""

import jitmdh as mdh

TYPES = "R"


@mdh.operator
def farther(a, b):
    return b if b["x"] > a["x"] else a


def f(p):
    best = p[0]
    for i in range(len(p)):
        best = farther(best, p[i])
    return best


EXPECTED = """
bad_record_returned.py:17: returning a record is not supported
   17 |  return best
      |  ^^^^^^^^^^^
  hint: return its fields: …['x'], …['n']
"""
