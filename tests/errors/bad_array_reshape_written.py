"""Array written after a reshape."""

TYPES = "M"


def f(M):
    y = M.reshape(-1)
    M[0, 0] = 1.0
    return y.sum()


EXPECTED = """
bad_array_reshape_written.py:7: `M` is written to after this reshape of it
    7 |  y = M.reshape(-1)
      |                ^^
  NumPy makes a view or a copy of it, by the array's strides
  hint: copy first: x.copy().reshape(…)
"""
