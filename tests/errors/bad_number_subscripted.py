"""Number subscripted."""

TYPES = "Va"


def f(x, a):
    for i in range(len(x)):
        x[i] = a[i]


EXPECTED = """
bad_number_subscripted.py:8: argument `a` is a number, and `a[i]` needs an array
    8 |  x[i] = a[i]
      |         ^^^^
  hint: pass an array: np.asarray(…)
"""
