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
    assert "behind" in g.inspect(x, x, 3, 2, 1, stage="kernel")  # lanes divide together
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
