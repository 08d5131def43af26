"""A number that a branch which is not taken sets: an error of the interpreter of the algebra. Seed 1417 of the fuzzer."""

from tests.fuzz.program import Array


def program(K):
    i = 1
    while 1:
        i += 1
        if i:
            break
        K[K[:], 1] = 1


ARGUMENTS = {
    "K": Array("int64", (3, 3), fill="cells 3", seed=323, layout="strided"),
}
OPTIONS = ({"algebra": True, "optimised": False, "checked": False},)
