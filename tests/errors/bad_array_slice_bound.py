"""Array slice bound."""

TYPES = "VV"


def f(x, y):
    return x[: y[0]].sum()


EXPECTED = """
bad_array_slice_bound.py:7: `y[0]` is not affine
    7 |  return x[: y[0]].sum()
      |             ^^^^
  only sums of constant multiples of indices and sizes are
"""
