"""A record that is carried through a loop, by NumPy a view, of an array that the loop writes to."""

import jitmdh as mdh

TYPES = "RR"


@mdh.operator
def farther(a, b):
    return b if b["x"] > a["x"] else a


def f(p, q):
    best = p[0]
    for i in range(len(q)):
        p[i]["n"] = i
        best = farther(best, q[i])
    p[1] = best


EXPECTED = """
bad_record_carried_and_written.py:15: `best` is a record of `p`, which the loop writes
   15 |  for i in range(len(q)):
      |  ^^^^^^^^^^^^^^^^^^^^^^^
  hint: start from its fields: best = (…)
"""
