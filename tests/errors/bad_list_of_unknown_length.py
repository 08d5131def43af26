"""A list whose length data decide."""

TYPES = "V"


def f(x):
    y = [value for value in x if value > 0]
    return y


EXPECTED = """
bad_list_of_unknown_length.py:7: a list comprehension is not supported here
    7 |  y = [value for value in x if value > 0]
      |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  how many elements it has is known when the code runs
  hint: make an array of it, np.array([…]), or sum it up
"""
