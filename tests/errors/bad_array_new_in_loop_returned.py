"""An argument gets a new array in iterations that an outer one counts, and is returned: it may be the argument itself."""

TYPES = "Vn"


def f(x, n):
    for i in range(n):
        for _ in range(i):
            x = x * 2
    return x


EXPECTED = """
bad_array_new_in_loop_returned.py:10: returning one array or another is not supported
   10 |  return x
      |  ^^^^^^^^
  behind the loop that gives it others, it may still be one of before
  hint: return a copy: y.copy()
"""
