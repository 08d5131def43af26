"""An argument gets a new array in each iteration, and is returned: after none it is the argument itself."""

TYPES = "Vn"


def f(x, n):
    for _ in range(n):
        x = x * 2
    return x


EXPECTED = """
bad_array_new_in_loop_returned.py:9: returning one array or another is not supported
    9 |  return x
      |  ^^^^^^^^
  after no iteration of the loop that gives it new ones, it is that of before
  hint: return a copy: y.copy()
"""
