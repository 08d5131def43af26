"""A loop over a tuple is unrolled: there is nothing to leave."""

TYPES = "V"


def f(x):
    for d in (0, 1, 2):
        if x[d] > 0:
            break
        x[d] = 1


EXPECTED = """
bad_break_in_unrolled_loop.py:7: break and return in a loop over a tuple are not supported
    7 |  for d in (0, 1, 2):
      |  ^^^^^^^^^^^^^^^^^^^
  it is unrolled
  hint: write it with range, and a subscript
"""
