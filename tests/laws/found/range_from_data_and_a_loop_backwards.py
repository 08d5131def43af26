"""Elements of a range from an index outside to data: a false BoundsError. Seed 60005279 of the fuzzer, reduced otherwise."""

from tests.fuzz.program import Array


def program(k):
    for i in range(1, -1, -1):
        for j in range(i, min(k[i], 1)):
            k[j] += 1


ARGUMENTS = {
    "k": Array("int64", (2,), seed=833),
}
OPTIONS = ({"checked": False}, {"algebra": True, "optimised": False, "checked": False})
