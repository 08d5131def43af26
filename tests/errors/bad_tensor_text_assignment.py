"""A text that assigns to what it does not declare."""

from jitmdh import tensor as mt


def f():
    mt.parse("var in a : [2]  b = a + a")


EXPECTED = """
<tensor program 37e7d97e>:1: `b` is assigned to, but not declared
    1 |  var in a : [2]  b = a + a
      |                  ^
"""
