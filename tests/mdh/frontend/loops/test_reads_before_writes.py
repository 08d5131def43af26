"""What is read elsewhere in an array that is written: kept before, and only where a point reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh


def eliminate(A: Any) -> None:
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


def below_a_diagonal(A: Any, c: int, m: int) -> None:
    """Reads A[i, c] only where some j is there."""
    for i in range(A.shape[0]):
        for j in range(m):
            if j < i and j < c:
                A[i, j] = A[i, j] + A[i, c]


def upper(A: Any, k: int) -> None:
    for i in range(k):
        for j in range(k + i, A.shape[1]):
            A[i, j] += A[i, 0] - A[k, j]


@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_elimination(n: int) -> None:
    rng = np.random.default_rng(n)
    A = rng.random((n, n)) + n * np.eye(n)
    want = A.copy()
    eliminate(want)
    ours = mdh.jit(tune="off")(eliminate)
    ours(A)
    np.testing.assert_allclose(A, want, rtol=1e-12)
    kept = [line for line in ours.inspect(A, stage="mdh").splitlines() if "allocate" in line]
    assert kept and not any("," in line for line in kept), "columns and rows are kept, no matrix"


@pytest.mark.parametrize(("c", "m"), [(3, 3), (0, 9), (0, 0), (9, 0), (5, 2), (2, 5)])
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_no_more_is_read_than_points_need(c: int, m: int) -> None:
    """A[:, 9] is not there; it is read by nobody where m is 0."""
    A = np.random.default_rng(c).random((6, 6))
    want = A.copy()
    below_a_diagonal(want, c, m)
    mdh.jit(tune="off")(below_a_diagonal)(A, c, m)
    np.testing.assert_array_equal(A, want)


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_an_element_that_is_not_there_is_an_error() -> None:
    A = np.ones((12, 6))
    with pytest.raises(IndexError):
        mdh.jit(tune="off")(below_a_diagonal)(A, 9, 4)


@pytest.mark.parametrize("k", [0, 1, 3, 5])
def test_triangles(k: int) -> None:
    A = np.random.default_rng(k).random((6, 8))
    want = A.copy()
    upper(want, k)
    mdh.jit(tune="off")(upper)(A, k)
    np.testing.assert_allclose(A, want, rtol=1e-14)
