"""An array of the elements that a mask chooses."""

TYPES = "V"


def f(x):
    return x[x > 0] + x


EXPECTED = """
bad_array_mask.py:7: subscript `x > 0` is an array of bools
    7 |  return x[x > 0] + x
      |           ^^^^^
  which elements it means depends on data
  hint: choose by np.where, or reduce them: x[mask].sum()
"""
