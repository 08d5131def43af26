"""Try block."""

TYPES = "V"


def f(x):
    try:
        x[0] = 1
    except IndexError:
        pass


EXPECTED = """
bad_try_block.py:7: try is not supported in a compiled function
    7 |  try:
      |  ^^^^
  hint: check for the condition before
"""
