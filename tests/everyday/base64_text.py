"""Bytes as base64, by a table of letters."""

import numpy as np

LETTERS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)


def program(src, table, out):
    j = 0
    for i in range(0, src.shape[0] - 2, 3):
        v = (int(src[i]) << 16) | (int(src[i + 1]) << 8) | int(src[i + 2])
        out[j] = table[(v >> 18) & 63]
        out[j + 1] = table[(v >> 12) & 63]
        out[j + 2] = table[(v >> 6) & 63]
        out[j + 3] = table[v & 63]
        j += 4
    return j


def arguments(rng):
    return rng.integers(0, 256, 90).astype(np.uint8), LETTERS.copy(), np.zeros(120, np.uint8)
