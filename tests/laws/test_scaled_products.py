"""Products of matrices with numbers among the factors: blocked and copied like others, and exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.hosts import as_on


def scaled(alpha, beta, x, C, A, B):
    C[:] = alpha * A @ B + beta * C


def scaled_by_an_element(alpha, beta, x, C, A, B):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += x[1] * A[i, k] * alpha * B[k, j]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("function", [scaled, scaled_by_an_element])
def test_they_are_exact(function: Callable[..., None], dtype: str) -> None:
    """Of small whole numbers, in any order."""
    rng = np.random.default_rng(0)

    def small(*shape: int) -> Any:
        part = rng.integers(-4, 5, shape)
        return (part + 1j * rng.integers(-4, 5, shape) if dtype.startswith("c") else part).astype(dtype)

    C, A, B, x = small(301, 290), small(301, 407), small(407, 290), small(3)
    alpha, beta = (x.dtype.type(n) for n in (3, 2))
    want = alpha * A @ B + beta * C if function is scaled else C + x[1] * alpha * (A @ B)
    if dtype == "float64":
        with as_on("avx2-desktop"):  # where all of it is too large for a core's cache
            chosen = mdh.jit(function).config(alpha, beta, x, C, A, B)
        reasons = next(iter(reversed(chosen.values())))["reasons"]
        assert any(reason.startswith("cache blocks:") for reason in reasons)
    mdh.jit(function)(alpha, beta, x, C, A, B)
    assert np.array_equal(C, want)
