"""Return in loop."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        if x[i] > 0:
            return i


EXPECTED = """
bad_return_in_loop.py:9: return inside a loop
    9 |  return i
      |  ^^^^^^^^
  hint: all iterations have to happen: return after the loop
"""
