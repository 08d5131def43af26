"""Array dtype."""

TYPES = "V"


def f(x):
    return x.astype("nothing")


EXPECTED = """
bad_array_dtype.py:7: `'nothing'` is no dtype
    7 |  return x.astype("nothing")
      |                  ^^^^^^^^^
"""
