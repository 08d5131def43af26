"""Slices with any bounds: beyond the end, from the end, empty, backwards; as plain Python, and compiled once known."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh


def summed(x, y, k, n):  # type: ignore[no-untyped-def]
    return x[k:n].sum()


def scaled(x, y, k, n):  # type: ignore[no-untyped-def]
    y[k:n] *= 2.0


def copied(x, y, k, n):  # type: ignore[no-untyped-def]
    y[k:n] = x[k:n]
    return x[:k] + 1.0


def rows(x, y, k, n):  # type: ignore[no-untyped-def]
    M = x.reshape(3, 2)
    for i in range(M.shape[0]):
        y[i] = M[i, k:n].sum() + M[0:n, 1].sum()


def product(x, y, k, n):  # type: ignore[no-untyped-def]
    M = x.reshape(3, 2)
    return np.dot(M[0:n, k:n], M[0:n, k:n].T)


def moving(x, y, k, n):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = x[i : i + n].sum() + x[i:k].sum()


def helped(x, y, k, n):  # type: ignore[no-untyped-def]
    return first(x, k).sum() - first(x, n).sum()


def first(x, n):  # type: ignore[no-untyped-def]
    return x[0:n]


FUNCTIONS = [summed, scaled, copied, rows, product, moving, helped]
BOUNDS = (-9, -6, -2, 0, 1, 4, 6, 9)


def outcome(function: Callable[..., Any], k: int, n: int) -> Any:
    x, y = np.arange(1.0, 7.0), np.arange(2.0, 8.0)
    try:
        found = function(x, y, k, n)
    except Exception as error:
        return "ValueError" if isinstance(error, ValueError) else type(error).__name__
    return np.asarray(found).tolist() if found is not None else None, x.tolist(), y.tolist()


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_slices_with_any_bounds(function: Any) -> None:
    compiled = mdh.jit(cache=False, tune="off")(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k, n in itertools.product(BOUNDS, BOUNDS):
            assert outcome(compiled, k, n) == outcome(function, k, n), (k, n)


@pytest.mark.parametrize("function", [summed, scaled, copied, product, helped], ids=lambda f: f.__name__)
def test_what_slices_do_is_known_to_code(function: Any) -> None:
    """Without a warning, and without plain Python."""
    compiled = mdh.jit(cache=False, tune="off")(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k, n in ((0, 2), (0, 9), (0, 9), (0, 2), (-2, 9)):
            assert outcome(compiled, k, n) == outcome(function, k, n), (k, n)
    assert compiled.stats().fallbacks == 0
