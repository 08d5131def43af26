"""Steps of sequential loops: how large they are, and that those with little work do not ask whether to be shared."""

from __future__ import annotations

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
