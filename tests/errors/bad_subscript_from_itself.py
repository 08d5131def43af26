"""An array is permuted by itself."""

TYPES = "I"


def f(x):
    for i in range(len(x)):
        x[x[i]] += 1


EXPECTED = """
bad_subscript_from_itself.py:8: `x` decides a subscript or a bound, and is written
    8 |  x[x[i]] += 1
      |    ^^^^
  which elements a loop touches must not depend on its own results
  hint: write to another array
"""
