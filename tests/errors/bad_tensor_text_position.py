"""A position that counts from zero, in the tensor model language."""

from jitmdh import tensor as mt


def f():
    mt.parse("var a : [3 3]  var b : []  b = a . [0 1]")


EXPECTED = """
<tensor program 6425dec0>:1: a tensor of shape (3, 3) has no axis 0
    1 |  var a : [3 3]  var b : []  b = a . [0 1]
      |                                      ^
  hint: positions are from 1 to 2
"""
