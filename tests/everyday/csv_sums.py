"""Sums of the columns of a text with commas."""

import numpy as np


def program(b, sums):
    col = 0
    v = 0
    sign = 1
    rows = 0
    for i in range(b.shape[0]):
        c = int(b[i])
        if c == 45:
            sign = -1
        elif c == 44 or c == 10:
            sums[col] += sign * v
            v = 0
            sign = 1
            if c == 10:
                col = 0
                rows += 1
            else:
                col += 1
        else:
            v = v * 10 + (c - 48)
    return rows


def arguments(rng):
    rows = rng.integers(-99, 999, (12, 3))
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    return np.frombuffer(text.encode(), np.uint8).copy(), np.zeros(3)
