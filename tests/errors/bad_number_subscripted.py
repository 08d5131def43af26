"""Number subscripted."""

TYPES = "Va"


def f(x, a):
    for i in range(len(x)):
        x[i] = a[i]


EXPECTED = """
bad_number_subscripted.py:8: `a` cannot be subscripted: it is no array or tuple
    8 |  x[i] = a[i]
      |         ^^^^
"""
