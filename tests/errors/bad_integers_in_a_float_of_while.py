"""A float that takes integers which it cannot hold."""

TYPES = "I"


def f(x):
    best = -1.0
    k = 0
    while k < x.shape[0]:
        if x[k] > best:
            best = x[k]
        k += 1
    return best


EXPECTED = """
bad_integers_in_a_float_of_while.py:9: `best` is an integer or a float in the loop
    9 |  while k < x.shape[0]:
      |  ^^^^^^^^^^^^^^^^^^^^^
  Python's number is one or the other, and float64 does not tell integers from 2**53 on apart
  hint: give `best` numbers of one type, such as float(...)
"""
