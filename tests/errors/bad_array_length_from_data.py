"""A length that only data say, and nothing bounds."""

import numpy as np

TYPES = "I"


def f(keys):
    counts = np.zeros(keys.max() + 1)
    for key in keys:
        counts[key] += 1
    return counts


EXPECTED = """
bad_array_length_from_data.py:9: shape `keys.max() + 1` is not made of sizes
    9 |  counts = np.zeros(keys.max() + 1)
      |                    ^^^^^^^^^^^^^^
  arrays are allocated before anything is read: lengths are computed from sizes and integer arguments by +, -, *, //, %, min and max
  hint: compute `keys.max() + 1` before the call, and make it an argument
"""
