"""Elements that an array chooses are added to: NumPy does that once for each."""

TYPES = "VIV"


def f(h, index, w):
    h[index] += w


EXPECTED = """
bad_array_chosen_update.py:7: elements of `h` that an array chooses are assigned to
    7 |  h[index] += w
      |  ^^^^^^^^
  NumPy takes one value of several for the same element
  hint: write a loop, or, to add to elements as often as they are chosen, np.add.at(h, …)
"""
