"""Array mask value."""

TYPES = "VV"


def f(x, y):
    x[x > 0] = y


EXPECTED = """
bad_array_mask_value.py:7: an array is assigned to the elements that a mask chooses
    7 |  x[x > 0] = y
      |  ^^^^^^^^
  how many there are is data
  hint: choose by np.where: x[:] = np.where(x > 0, …, …)
"""
