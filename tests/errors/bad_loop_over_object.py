"""Loop over a text."""

TYPES = "V"


def f(x):
    for letter in "abc":
        x[0] += 1


EXPECTED = """
bad_loop_over_object.py:7: a loop over `'abc'`, which is a str
    7 |  for letter in "abc":
      |                ^^^^^
  hint: loop over range(…), an array or a tuple
"""
