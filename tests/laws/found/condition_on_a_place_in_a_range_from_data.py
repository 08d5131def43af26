"""A condition about places in a range from data was put before the range: a KeyError. Seed 60005279 of the fuzzer."""

from tests.fuzz.program import Array


def program(k):
    for i in range(1):
        for j in range(1, min(k[i], 1)):
            k[j] += 1


ARGUMENTS = {
    "k": Array("int64", (0,), fill="ones"),
}
OPTIONS = ({"checked": False}, {"algebra": True, "optimised": False, "checked": False})
