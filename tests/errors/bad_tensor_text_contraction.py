"""A contraction over axes that differ."""

from jitmdh import tensor as mt


def f():
    mt.parse("var a : [2 3]  var b : []  b = a . [1 2]")


EXPECTED = """
<tensor program f95302b7>:1: a contraction over axes of extents 2 and 3
    1 |  var a : [2 3]  var b : []  b = a . [1 2]
      |                                   ^
"""
