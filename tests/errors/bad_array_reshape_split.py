"""Array reshape split."""

TYPES = "Vn"


def f(x, n):
    return x.reshape(-1, n).sum(axis=1)


EXPECTED = """
bad_array_reshape_split.py:7: an axis of length x.shape[0] is split by a length that is no constant
    7 |  return x.reshape(-1, n).sum(axis=1)
      |         ^^^^^^^^^^^^^^^^
  a product of an index and a size is not affine
  hint: only the first of the new axes may have any length
"""
