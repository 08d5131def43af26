"""An array is returned from inside of a loop."""

TYPES = "VV"


def f(x, y):
    for i in range(len(x)):
        if x[i] > 0:
            return x
    return y


EXPECTED = """
bad_array_returned_in_loop.py:9: what is returned inside of a loop is no number
    9 |  return x
      |         ^
  hint: return numbers, or return the array behind the loop
"""
