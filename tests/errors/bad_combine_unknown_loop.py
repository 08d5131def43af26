"""Combine unknown loop."""

TYPES = "V"
OPTIONS = {"combine": {"k": "add"}}


def f(x):
    for i in range(len(x)):
        x[i] = 0


EXPECTED = """
bad_combine_unknown_loop.py:7: combine names `k`, which is no loop variable of `f`
    7 |  def f(x):
      |  ^^^^^^^^^
  hint: its loops are over i
"""
