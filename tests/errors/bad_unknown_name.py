"""Unknown name."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        x[i] = alpha * x[i]


EXPECTED = """
bad_unknown_name.py:8: unknown name `alpha`
    8 |  x[i] = alpha * x[i]
      |         ^^^^^
  hint: it is no argument, local, closure or global name
"""
