"""Whole array sum."""

TYPES = "VM"


def f(y, x):
    for i in range(len(y)):
        y[i] = sum(x)


EXPECTED = """
bad_whole_array_sum.py:8: `sum` of one number, or of an array with several axes, is not supported
    8 |  y[i] = sum(x)
      |         ^^^^^^
  hint: use np.sum
"""
