"""Where each value belongs among sorted ones."""

import numpy as np


def program(sorted_values, wanted):
    found = np.empty(wanted.size, np.int64)
    for k in range(wanted.size):
        low = 0
        high = sorted_values.size
        while low < high:
            middle = (low + high) // 2
            if sorted_values[middle] < wanted[k]:
                low = middle + 1
            else:
                high = middle
        found[k] = low
    return found


def arguments(rng):
    return np.sort(rng.random(64)), rng.random(20)
