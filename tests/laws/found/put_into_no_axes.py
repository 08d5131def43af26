"""The interpreter of the algebra wrote a row to a number. Seed 70000282 of `python -m tests.fuzz --algebra`."""

from tests.fuzz.program import Array


def program(K):
    i3 = -1
    while i3:
        i3 += 1
        K[K[:], 1] = 1


ARGUMENTS = {
    "K": Array("uint8", (2, 2), fill="ones"),
}
OPTIONS = ({"algebra": True, "optimised": False, "checked": False},)
