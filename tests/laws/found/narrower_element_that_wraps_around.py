"""An update of a narrower element wraps around: a difference that is documented. Seed 60046504 of the fuzzer."""

from tests.fuzz.program import Array


def program(y, k):
    i = 0
    y[1] += k[i]
    return 1


ARGUMENTS = {
    "y": Array("int32", (2,), fill="ones"),
    "k": Array("int64", (1,), fill="ends", seed=213),
}
OPTIONS = ({"algebra": True, "optimised": False, "checked": False},)
