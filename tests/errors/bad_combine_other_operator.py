"""The directive names another operator than the loop has."""

TYPES = "V"
OPTIONS = {"combine": {"i": "max"}}


def f(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


EXPECTED = """
bad_combine_other_operator.py:9: combine says •(fmax) for the loop over `i`, which is •(add)
    9 |  for i in range(len(x)):
      |           ^^^^^^^^^^^^^
  hint: leave the directive out, or call the operator in the loop
"""
