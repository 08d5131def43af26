"""Loop over a number."""

TYPES = "Vn"


def f(x, n):
    for i in n:
        x[i] = 0


EXPECTED = """
bad_loop_over_number.py:7: a loop over `n`, which is a number
    7 |  for i in n:
      |           ^
  hint: loop over range(…), an array or a tuple
"""
