"""The greatest of integers, from a float on."""

TYPES = "I"


def f(x):
    best = -1.0
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
    return best


EXPECTED = """
bad_extremum_of_integers_from_float.py:8: the greatest of int64 starts from a float
    8 |  for i in range(len(x)):
      |           ^^^^^^^^^^^^^
  Python's result is an integer then, and float64 does not tell integers from 2**53 on apart
  hint: start from an integer, such as the first element, or compare float(x[i])
"""
