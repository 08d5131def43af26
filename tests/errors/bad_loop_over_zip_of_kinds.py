"""A tuple and an array side by side."""

TYPES = "VV"


def f(x, y):
    for a, b in zip((1, 2), x):
        y[0] += a * b


EXPECTED = """
bad_loop_over_zip_of_kinds.py:7: `zip` of a tuple and something of another kind
    7 |  for a, b in zip((1, 2), x):
      |              ^^^^^^^^^^^^^^
  hint: use arrays only, or tuples only
"""
