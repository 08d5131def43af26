"""An attribute that arrays do not have."""

TYPES = "V"


def f(x):
    return x.foo


EXPECTED = """
bad_attribute_unknown.py:7: `x`, an array, has no attribute `foo`
    7 |  return x.foo
      |         ^^^^^
"""
