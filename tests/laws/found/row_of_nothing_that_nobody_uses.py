"""A row of an array without rows, which nothing uses, is an IndexError in Python. Seed 30007467."""

from tests.fuzz.program import Array


def program(A, n):
    v = A[n]


ARGUMENTS = {
    "A": Array("float64", (0, 0), fill="ones"),
    "n": "1",
}
OPTIONS = ({}, {"algebra": True, "optimised": False, "checked": False},)
