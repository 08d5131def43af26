"""Counting in a dictionary."""

TYPES = "V"


def f(x):
    counts = {}
    for i in range(len(x)):
        counts[i] = x[i]
    return counts[0]


EXPECTED = """
bad_dictionary.py:7: a dictionary is not supported in a compiled function
    7 |  counts = {}
      |           ^^
  hint: number the keys 0, 1, 2, … outside of the function, and use an array
"""
