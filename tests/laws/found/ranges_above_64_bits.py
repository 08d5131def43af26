"""Ranges whose bounds are both above 2**63 - 1 had no iterations. Seeds 60024616 and 60046810 of the fuzzer."""

from tests.fuzz.program import Array


def program(y, x, lo, hi):
    i = 0
    for j in range(lo[i], hi[1], -1):
        y[1] += x[j]
    return 1


ARGUMENTS = {
    "y": Array("float64", (2,), fill="ones"),
    "x": Array("float64", (0,), fill="ones"),
    "lo": Array("uint64", (1,), fill="ends"),
    "hi": Array("uint64", (2,), fill="ends", seed=424),
}
OPTIONS = ({"algebra": True, "optimised": False, "checked": False},)
