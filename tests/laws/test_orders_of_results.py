"""Results lie in memory as NumPy's do: what is computed from arrays in Fortran's order is in that order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh

ROWS, COLUMNS = 37, 50


def computed(x, y, v, w):  # type: ignore[no-untyped-def]
    return (
        x + 1, x * y, np.where(x > 0.5, x, y), np.sqrt(x) + y * v, x > y, -x, np.clip(x, 0.2, 0.7), (x + 1) * (y + 2),
        x + v, x * w[:, None], v * w[:, None], x.astype(np.float32), np.maximum(x, y, out=None), x - x.mean(axis=0),
        np.exp(x - x.max(axis=1)[:, None]), x.T + 1, (x + 1).T, x.T + y.T, x[1:] + 1, x[:, ::-1] * 2,
    )  # fmt: skip


def made(x, y, v, w):  # type: ignore[no-untyped-def]
    z = x + y
    z[0, 0] = 5
    return (
        x.copy(), np.copy(x), np.array(y), np.zeros_like(x), np.ones_like(y), np.full_like(x, 3), np.zeros(x.shape),
        x @ y.T, x @ y.T + 1, x.sum(axis=0), z, z.T, z[1:], z * 2 + z.sum(), (x + y).copy(), np.zeros_like(x + v),
    )  # fmt: skip


def in_order(x, y, v, w):  # type: ignore[no-untyped-def]
    out, sums = np.empty_like(x), np.zeros_like(y)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = 2 * x[i, j] + v[j]
    for i in range(x.shape[0]):
        for j in range(1, x.shape[1]):
            sums[i, j] = sums[i, j - 1] + y[i, j]
    fresh = np.empty(x.shape)
    fresh[:] = x + y
    return out, sums, fresh


LAYOUTS: dict[str, Any] = {
    "C": lambda a: a.copy(),
    "F": np.asfortranarray,
    "every second row": lambda a: a.repeat(2, axis=0)[::2],
    "every second column, turned": lambda a: a.T.repeat(2, axis=0)[::2].T,
}


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("second", ("C", "F"))
@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("function", (computed, made, in_order), ids=lambda f: f.__name__)
def test_orders_are_those_of_numpy(function: Any, first: str, second: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (LAYOUTS[layout](rng.random((ROWS, COLUMNS))) for layout in (first, second))
    given = x, y, rng.random(COLUMNS), rng.random(ROWS)
    wanted, found = function(*given), mdh.jit(fallback="error", cache=False)(function)(*given)
    for n, (want, got) in enumerate(zip(wanted, found, strict=True)):
        assert got.dtype == want.dtype and np.allclose(got, want), n
        assert got.strides == want.strides, n
        assert got.flags.c_contiguous == want.flags.c_contiguous, n
        assert got.flags.f_contiguous == want.flags.f_contiguous, n


def of_more_axes(x, y, v, w):  # type: ignore[no-untyped-def]
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                out[i, j, k] = x[i, j, k] - v[k]
    return (
        x + 1, x * y, np.where(x > 0.5, x, y), x > w, x - x.mean(axis=0), x - x.max(axis=1, keepdims=True), x.T + 1,
        (x + 1).T, x[1:, :, ::2] - x[:-1, :, ::2], np.cumsum(x, axis=1), np.cumprod(x * x, axis=0), x.sum(axis=1),
        x.max(axis=2), x.argmax(axis=1), x.copy(), np.copy(x), np.zeros_like(x), x[:, :, 0] + 1, x[0] * 2,
        x[:, None] + 1, x.reshape(x.shape[0] * x.shape[1], x.shape[2]) + 1, x.T.copy(), out,
    )  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [("F", "F"), ("F", "C"), ("C", "F"), ("C", "C")])
def test_orders_of_arrays_with_three_axes(first: str, second: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (LAYOUTS[layout](rng.random((13, 9, 18))) for layout in (first, second))
    given = x, y, rng.random(18), rng.random((9, 1))
    wanted = of_more_axes(*given)
    found = mdh.jit(fallback="error", cache=False)(of_more_axes)(*given)
    for n, (want, got) in enumerate(zip(wanted, found, strict=True)):
        assert got.dtype == want.dtype and np.allclose(got, want), n
        assert got.strides == want.strides, n
