"""A loop to the less of data and an argument, which writes one element only: a KeyError. Seed 60053399 of the fuzzer."""

from tests.fuzz.program import Array


def program(y, hi, m):
    for i in range(1):
        for j in range(0, min(hi[i], m)):
            y[1] += 1
            for q in range(j):
                if q < m - j:
                    y[0] += 1


ARGUMENTS = {
    "y": Array("int32", (2,), fill="ones"),
    "hi": Array("uint8", (3,), fill="cells 9", seed=223, layout="reversed"),
    "m": "2",
}
OPTIONS = ({},)
