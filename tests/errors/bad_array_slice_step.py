"""Array slice step."""

TYPES = "Vn"


def f(x, n):
    x[::n] = 0


EXPECTED = """
bad_array_slice_step.py:7: the step of a slice is not a constant
    7 |  x[::n] = 0
      |    ^^^
  hint: make it part of the code: static=("n",)
"""
