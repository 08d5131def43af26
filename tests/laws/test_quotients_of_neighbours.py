"""Neighbours divided by one number ≡ plain Python: numbers below and above those of lanes, negative ones, and 0."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh


def quotients(y: Any, d: int, e: int, shift: int) -> None:
    for i in range(y.shape[0]):
        y[i, 0] = (i + shift) // d
        y[i, 1] = (i + shift) % d
        y[i, 2] = (i + shift) // d // e
        y[i, 3] = (i + shift) // d % e
        y[i, 4] = (i + shift) % d % e
        y[i, 5] = ((i + shift) // d + 3) // e


def along_lanes(y: Any, x: Any, d: int, e: int, shift: int) -> None:
    for k in range(y.shape[0]):
        for i in range(y.shape[1]):
            y[k, i] = (
                x[k, i] + (i + shift) // d * 7 + (i + shift) % d + ((i + shift) // d // e) * 100 + (i + shift) // d % e
            )


def by_constants(y: Any, x: Any, shift: int) -> None:
    for k in range(y.shape[0]):
        for i in range(y.shape[1]):
            y[k, i] = x[k, i] + (i + shift) // 3 + (i + shift) % 17 * 5 + (i - shift) // 17 // 2 + (i + shift) // 40 % 9


@pytest.mark.parametrize("n", [5, 61])
def test_quotients(n: int) -> None:
    f, g, h = (mdh.jit(cache=False)(one) for one in (quotients, along_lanes, by_constants))
    x = np.random.default_rng(n).integers(0, 9, (3, n))
    many = np.zeros((3, 61), np.int64)
    assert "behind" in g.inspect(many, many, 3, 2, 1, stage="kernel")  # lanes divide together
    for d in (1, 2, 3, 6, 7, 8, 15, 16, 40, -1, -2, -9, -31):
        for e in (1, 3, 7, 20, -2):
            for shift in (0, 5, -30):
                wanted, got = np.zeros((n, 6), np.int64), np.zeros((n, 6), np.int64)
                quotients(wanted, d, e, shift)
                f(got, d, e, shift)
                assert np.array_equal(wanted, got), (d, e, shift)
                wanted, got = np.zeros((3, n), np.int64), np.zeros((3, n), np.int64)
                along_lanes(wanted, x, d, e, shift)
                g(got, x, d, e, shift)
                assert np.array_equal(wanted, got), (d, e, shift)
    for shift in (0, 5, -70):
        wanted, got = np.zeros((3, n), np.int64), np.zeros((3, n), np.int64)
        by_constants(wanted, x, shift)
        h(got, x, shift)
        assert np.array_equal(wanted, got), shift


@pytest.mark.parametrize(("d", "e"), [(0, 3), (3, 0), (0, 0), (-2, 0)])
def test_by_zero(d: int, e: int) -> None:
    f = mdh.jit(cache=False)(along_lanes)
    with pytest.raises(ZeroDivisionError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(np.zeros((2, 20), np.int64), np.zeros((2, 20), np.int64), d, e, 1)


def as_subscripts(y: Any, z: Any, x: Any, m: Any, d: int, shift: int) -> None:
    for k in range(y.shape[0]):
        for i in range(y.shape[1]):
            y[k, i] = x[(i + shift) // d] + x[(i + shift) % d + k]
            z[k, i] = m[i // d, i % d] + m[i % d, i // d] + m[k, i % d]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "c8"])
def test_subscripts(dtype: str) -> None:
    f = mdh.jit(cache=False)(as_subscripts)
    for n, d, shift in [(61, 16, 0), (61, 15, -40), (67, 41, 3), (200, 100, 7), (64, 7, -9), (40, 3, -2), (30, 1, 2)]:
        rng = np.random.default_rng(n)
        x, m = (rng.integers(0, 9, shape).astype(dtype) for shape in [(d + n + 5,), (max(d, n), max(d, n))])
        wanted, got = (np.zeros((2, 3, n), dtype) for _ in range(2))
        as_subscripts(*wanted, x, m, d, shift)
        f(*got, x, m, d, shift)
        assert np.array_equal(wanted, got), (n, d, shift)
    with pytest.raises(IndexError):
        f(*got, x[:3], m, 16, 0)
    with pytest.raises(IndexError):
        f(*got, x, m[:, :11], 16, 0)


def test_no_gathers() -> None:
    @mdh.jit(cache=False)
    def expanded(y: Any, x: Any) -> None:
        for k in range(y.shape[0]):
            for i in range(y.shape[1]):
                y[k, i] = x[i // 20] + x[i % 30] + x[i // 40] * x[i % 40]

    y, x = np.zeros((3, 100)), np.random.default_rng(0).random(100)
    wanted = y.copy()
    expanded.__wrapped__(wanted, x)
    expanded(y, x)
    assert np.array_equal(wanted, y)
    assert "gather" not in expanded.inspect(y, x, stage="kernel")


def test_masks() -> None:
    @mdh.jit(cache=False)
    def chosen(y: Any, x: Any, d: int) -> None:
        for i in range(y.shape[0]):
            if i % 3 == 0:
                y[i] = x[i // d] - x[i % d]

    x = np.random.default_rng(0).random(100)
    for d in (1, 5, 20, 90):
        wanted, got = np.zeros((2, 70))
        chosen.__wrapped__(wanted, x, d)
        chosen(got, x, d)
        assert np.array_equal(wanted, got), d
