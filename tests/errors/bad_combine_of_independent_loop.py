"""The directive declares a reduction where there is none."""

TYPES = "VV"
OPTIONS = {"combine": {"i": "add"}}


def f(y, x):
    for i in range(len(x)):
        y[i] = 2 * x[i]


EXPECTED = """
bad_combine_of_independent_loop.py:8: combine says •(add) for the loop over `i`, which is ++
    8 |  for i in range(len(x)):
      |           ^^^^^^^^^^^^^
  hint: leave the directive out, or call the operator in the loop
"""
