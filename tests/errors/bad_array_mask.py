"""An array of the elements that a mask chooses, in each iteration of a loop."""

TYPES = "VV"


def f(x, y):
    for i in range(len(y)):
        y[i] = (x[x > i] + x).sum()


EXPECTED = """
bad_array_mask.py:8: subscript `x > i` is an array of bools
    8 |  y[i] = (x[x > i] + x).sum()
      |            ^^^^^
  which elements it means depends on data
  hint: choose by np.where, or reduce them: x[mask].sum()
"""
