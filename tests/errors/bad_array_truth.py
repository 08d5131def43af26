"""Array truth."""

TYPES = "V"


def f(x):
    if x > 0:
        x[:] = 0


EXPECTED = """
bad_array_truth.py:7: the truth of an array, `x > 0`, is not defined
    7 |  if x > 0:
      |     ^^^^^
  hint: use .any() or .all()
"""
