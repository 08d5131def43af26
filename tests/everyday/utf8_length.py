"""How many characters a text in UTF-8 has."""

import numpy as np


def program(b):
    n = 0
    i = 0
    while i < b.shape[0]:
        c = b[i]
        if c < 0x80:
            i += 1
        elif c < 0xE0:
            i += 2
        elif c < 0xF0:
            i += 3
        else:
            i += 4
        n += 1
    return n


def arguments(rng):
    return (np.frombuffer("grüße, €uro 𝄞 and abc".encode() * 20, np.uint8).copy(),)
