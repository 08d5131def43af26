"""Assertion."""

TYPES = "V"


def f(x):
    assert len(x) > 0
    x[0] = 1


EXPECTED = """
bad_assertion.py:7: assert is not supported in a compiled function
    7 |  assert len(x) > 0
      |  ^^^^^^^^^^^^^^^^^
  hint: check arguments outside the function
"""
