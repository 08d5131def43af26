"""Steps of sequential loops: how large they are, and that those with little work do not ask whether to be shared."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import jitmdh as mdh


def solve(L, b):
    for i in range(L.shape[0]):
        for k in range(i):
            b[i] -= L[i, k] * b[k]
        b[i] /= L[i, i]


def falling(A, x):
    for t in range(A.shape[0]):
        for j in range(t + 1, A.shape[1]):
            A[t, j] += A[t, t] * x[j]
        for j in range(A.shape[1]):
            x[j] += A[t, j]


def arguments(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.eye(n) + 0.1, np.ones(n)


@pytest.mark.parametrize("function", [solve, falling])
@pytest.mark.parametrize(("size", "shared"), [(3, False), (100, False), (127, False), (40_000, True)])
def test_only_steps_with_much_work_are_shared(function, size: int, shared: bool) -> None:
    row = np.lib.stride_tricks.as_strided  # of a matrix that is larger than what a test should make
    matrix = row(np.ones(1), (size, size), (0, 0)) if size > 1000 else arguments(size)[0]
    if size > 1000 and function is falling:
        pytest.skip("writes its matrix, which has one element")
    with mdh.config(machine="zen4"):
        text = mdh.jit(function).inspect(matrix, np.ones(size), stage="kernel")
    assert ("parallel for" in text) == shared


def cholesky(A):
    for i in range(A.shape[0]):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])


def from_earlier_ones(L, b):
    for i in range(L.shape[0]):
        for k in range(i - 1):  # without what the round before has written
            b[i] -= L[i, k] * b[k]
        b[i] /= L[i, i]


@pytest.mark.parametrize(("size", "vectors"), [(30, False), (600, True)])
@pytest.mark.parametrize("function", [solve, cholesky, from_earlier_ones])
def test_short_sums_that_end_with_what_was_just_stored_have_no_vectors(function, size: int, vectors: bool) -> None:
    given = arguments(size)[: 1 if function is cholesky else 2]
    with mdh.config(machine="zen4"):
        text = mdh.jit(function).inspect(*given, stage="kernel")
    sums = text.split("sequential j" if function is cholesky else "sequential i")[1].split("[i]")[0].split(" / ")[0]
    found = re.search(r"double\d", sums) is not None
    assert found == (vectors or function is from_earlier_ones)
    assert found or "acc_3" in sums


def test_the_same_results_at_sizes_beyond_those_that_it_was_made_for() -> None:
    """The code of a large class is made without threads for a call of 600 and serves one of 3000."""
    compiled = mdh.jit(solve)
    for size in (600, 3000):
        L, b = arguments(size)
        L = np.tril(L) + size * np.eye(size)
        want = b.copy()
        for i in range(size):
            want[i] = (want[i] - L[i, :i] @ want[:i]) / L[i, i]
        compiled(L, b)
        np.testing.assert_allclose(b, want, rtol=1e-12)
