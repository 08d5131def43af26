"""The variable of a loop that an outer one decides the length of, after the loop."""

TYPES = "M"


def f(x):
    for i in range(len(x)):
        for j in range(i):
            x[j, :] = 0
        x[i, 0] = j


EXPECTED = """
bad_loop_variable_after_loop.py:10: loop variable `j` is used after its loop
   10 |  x[i, 0] = j
      |            ^
  hint: compute it from the bounds of the loop
"""
