"""Try block."""

# ruff: noqa: SIM105

TYPES = "V"


def f(x):
    try:
        x[0] = 1
    except IndexError:
        pass


EXPECTED = """
bad_try_block.py:9: try is not supported in a compiled function
    9 |  try:
      |  ^^^^
  hint: check for the condition before
"""
