"""A subscript comes from the iteration before."""

TYPES = "VVV"


def f(y, x, keep):
    k = 0
    for i in range(len(x)):
        if keep[i] > 0:
            y[k] = x[i]
            k += 1


EXPECTED = """
bad_subscript_carried.py:10: subscript `k` of `y` comes from the iteration before
   10 |  y[k] = x[i]
      |    ^
  hint: compute all of them first, into an array
"""
