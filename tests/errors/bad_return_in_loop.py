"""Return in loop, and nothing behind it."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        if x[i] > 0:
            return i


EXPECTED = """
bad_return_in_loop.py:7: only this loop returns a value
    7 |  for i in range(len(x)):
      |  ^^^^^^^^^^^^^^^^^^^^^^^
  hint: return something behind it, too
"""
