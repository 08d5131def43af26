"""Array reshape joined."""

TYPES = "M"


def f(M):
    return M.reshape(-1).sum()


EXPECTED = """
bad_array_reshape_joined.py:7: this reshape joins axes
    7 |  return M.reshape(-1).sum()
      |                   ^^
  which row and column an element comes from is a quotient of its index, which is not affine
  hint: keep the axes, or reshape outside of the function
"""
