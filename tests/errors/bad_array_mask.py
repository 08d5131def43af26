"""Array mask."""

TYPES = "V"


def f(x):
    return x[x > 0].sum()


EXPECTED = """
bad_array_mask.py:7: subscript `x > 0` is an array
    7 |  return x[x > 0].sum()
      |           ^^^^^
  which elements it means depends on data
  hint: choose by np.where, or give a reduction where=
"""
