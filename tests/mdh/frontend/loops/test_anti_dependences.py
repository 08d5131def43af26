"""Loops whose iterations read what later ones write, and nothing that earlier ones have written, inside of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh


def binomial(v: Any, n: int) -> None:
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            v[i] = 0.25 * v[i] + 0.75 * v[i + 1]


def downwards(v: Any, n: int) -> None:
    for _ in range(2):
        for i in range(n - 1, 1, -1):
            v[i] = v[i - 1] - 0.5 * v[i - 2]


def in_steps(v: Any, n: int) -> None:
    for _ in range(3):
        for i in range(0, n - 4, 2):
            v[i] = v[i + 4] + 2.0 * v[i + 1] - v[i]


def some(v: Any, n: int) -> None:
    for t in range(3):
        for i in range(n - 1):
            if i % 3 > t:
                v[i] = v[i + 1] + 1.0


def sums(v: Any, n: int) -> None:
    """Each sum takes in what only later iterations change."""
    for _ in range(2):
        for i in range(n):
            for k in range(i, n):
                v[i] += 0.125 * v[k]


def both_ways(v: Any, n: int) -> None:
    """Reads what earlier iterations have written, too."""
    for _ in range(2):
        for i in range(1, n - 1):
            v[i] = 0.5 * (v[i - 1] + v[i + 1])


def mirrored(v: Any, n: int) -> None:
    """The first half reads what is written later, the second what was written before."""
    for _ in range(2):
        for i in range(n):
            v[i] = v[n - 1 - i] + 1.0


def halves(v: Any, n: int) -> None:
    """Later iterations write to where earlier ones have read, some of them the element that they read themselves."""
    for _ in range(2):
        for i in range(n // 2):
            v[i] = v[2 * i] + v[i]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 41])
@pytest.mark.parametrize("function", [binomial, downwards, in_steps, some, sums, both_ways, mirrored, halves])
def test_as_in_python(function: Callable[[Any, int], None], n: int) -> None:
    v = np.random.default_rng(n).random(n + 1)
    wanted = v.copy()
    function(wanted, n)
    mdh.jit(tune="off")(function)(v, n)
    np.testing.assert_allclose(v, wanted, rtol=1e-12)


def rows(A: Any) -> None:
    for i in range(A.shape[0] - 1):
        for j in range(A.shape[1] - 1):
            A[i, j] = A[i + 1, j] + A[i, j + 1] - A[i + 1, j + 1]


def test_results_of_one_row_are_kept_apart() -> None:
    A = np.random.default_rng(0).random((6, 35))
    wanted = A.copy()
    rows(wanted)
    ours = mdh.jit(tune="off")(rows)
    program = ours.inspect(A, stage="mdh")
    ours(A)
    np.testing.assert_allclose(A, wanted, rtol=1e-13)
    (kept,) = [line for line in program.splitlines() if "allocate" in line]
    assert "," not in kept
    assert "(++)" in program


def test_loops_with_nothing_around_keep_their_order() -> None:
    def shifted(v: Any, n: int) -> None:
        for i in range(n):
            v[i] = 0.5 * v[i + 1]

    v = np.arange(9.0)
    ours = mdh.jit(tune="off")(shifted)
    assert "allocate" not in ours.inspect(v, 8, stage="mdh")
    ours(v, 8)
    np.testing.assert_array_equal(v, [*(0.5 * np.arange(1.0, 9.0)), 8.0])
