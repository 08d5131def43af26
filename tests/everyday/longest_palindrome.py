"""The longest part of a text that reads the same backwards."""

import numpy as np


def program(s):
    n = s.shape[0]
    best = 0
    start = 0
    for c in range(n):
        lo = c
        hi = c
        while lo >= 0 and hi < n and s[lo] == s[hi]:
            lo -= 1
            hi += 1
        if hi - lo - 1 > best:
            best = hi - lo - 1
            start = lo + 1
        lo = c
        hi = c + 1
        while lo >= 0 and hi < n and s[lo] == s[hi]:
            lo -= 1
            hi += 1
        if hi - lo - 1 > best:
            best = hi - lo - 1
            start = lo + 1
    return start, best


def arguments(rng):
    return (rng.integers(97, 99, 60).astype(np.uint8),)
