"""An array that decides subscripts is written."""

TYPES = "VI"


def f(x, index):
    for i in range(len(index)):
        x[index[i]] += 1
        index[i] = 0


EXPECTED = """
bad_subscript_from_written.py:8: `index` decides a subscript or a bound, and is written
    8 |  x[index[i]] += 1
      |    ^^^^^^^^
  which elements a loop touches must not depend on its own results
  hint: write to another array
"""
