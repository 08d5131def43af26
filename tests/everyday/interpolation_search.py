"""Keys looked for where they should be if numbers were spread evenly."""

import numpy as np


def program(a, keys, out):
    for q in range(keys.shape[0]):
        k = keys[q]
        lo = 0
        hi = a.shape[0] - 1
        pos = -1
        while lo <= hi and k >= a[lo] and k <= a[hi]:
            if a[hi] == a[lo]:
                if a[lo] == k:
                    pos = lo
                break
            mid = lo + (k - a[lo]) * (hi - lo) // (a[hi] - a[lo])
            if a[mid] == k:
                pos = mid
                break
            if a[mid] < k:
                lo = mid + 1
            else:
                hi = mid - 1
        out[q] = pos


def arguments(rng):
    return np.sort(rng.integers(0, 500, 80)), rng.integers(0, 500, 40), np.zeros(40, np.int64)
