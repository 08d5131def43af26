"""Unknown name."""

# ruff: noqa: F821

TYPES = "V"


def f(x):
    for i in range(len(x)):
        x[i] = alpha * x[i]


EXPECTED = """
bad_unknown_name.py:10: unknown name `alpha`
   10 |  x[i] = alpha * x[i]
      |         ^^^^^
  hint: it is no argument, local, closure or global name
"""
