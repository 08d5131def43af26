"""A variable of a text that is not declared."""

from jitmdh import tensor as mt


def f():
    mt.parse("var a : [2]  a = b + a")


EXPECTED = """
<tensor program 854d33b2>:1: `b` is used, but not declared
    1 |  var a : [2]  a = b + a
      |                   ^
"""
