"""Keys put into a binary tree that lies in arrays."""

import numpy as np


def program(keys, left, right, value):
    n = 0
    for i in range(keys.shape[0]):
        k = keys[i]
        value[n] = k
        if n > 0:
            at = 0
            while True:
                if k < value[at]:
                    if left[at] < 0:
                        left[at] = n
                        break
                    at = left[at]
                else:
                    if right[at] < 0:
                        right[at] = n
                        break
                    at = right[at]
        n += 1
    return n


def arguments(rng):
    return rng.random(60), np.full(60, -1), np.full(60, -1), np.zeros(60)
