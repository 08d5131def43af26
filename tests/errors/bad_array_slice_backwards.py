"""Array slice backwards."""

TYPES = "V"


def f(x):
    return x[5:1:-1] * 1


EXPECTED = """
bad_array_slice_backwards.py:7: a slice with bounds and a negative step is not supported
    7 |  return x[5:1:-1] * 1
      |           ^^^^^^
  hint: slice twice: x[a:b][::-1]
"""
