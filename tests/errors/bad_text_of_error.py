"""An error whose text is computed, found by data, in a function that writes to an argument."""

TYPES = "VV"


def f(y, x):
    for i in range(x.shape[0]):
        if x[i] < 0:
            raise ValueError(f"{x[i]} is negative")
        y[i] = x[i]


EXPECTED = """
bad_text_of_error.py:9: data decide whether ValueError is raised
    9 |  raise ValueError(f"{x[i]} is negative")
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  plain Python does it, and cannot begin again where arguments have been written to
  hint: raise one of Python's exceptions with a text that is written out, or do this in a function of its own
"""
