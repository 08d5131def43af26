"""Array mask update."""

TYPES = "VV"


def f(x, y):
    x[x > 0] += y


EXPECTED = """
bad_array_mask_update.py:7: an array updates the elements that a mask chooses
    7 |  x[x > 0] += y
      |              ^
  how many there are is data
  hint: compute all elements and choose by np.where
"""
