"""Faults 10, 12 to 15, 17 and 19: what everyday loops run into. The undecorated function says what is right."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh


def agrees(function: Callable[..., Any], *arguments: Any) -> None:
    """Same result, same arrays, or the same kind of error; after an IndexError of compiled code no array has changed.

    Or the error says that this is not supported; or plain Python runs, and a warning says so.
    """
    mine, plain = ([a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2))
    errors, results = list[Exception](), list[Any]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for f, given in ((function, plain), (mdh.jit(function), mine)):
            try:
                results.append(f(*given))
            except Exception as error:
                errors.append(error)
    detour = any(w.category is mdh.JitWarning for w in caught)
    if len(errors) == 2:
        assert isinstance(errors[1], type(errors[0]) | mdh.errors.ArgumentValueError)
        expected = arguments if isinstance(errors[0], IndexError) and not detour else plain
    else:
        assert not errors or isinstance(errors[0], mdh.errors.UserError)
        expected = arguments if errors else plain
        np.testing.assert_array_equal(results[-1], results[0])
    if not isinstance(errors[-1] if errors else None, ZeroDivisionError | OverflowError):  # these come after writes
        for a, b in zip(mine, expected):
            np.testing.assert_array_equal(a, b)


def last_and_first(y, x):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[-1] - x[-x.shape[0] + i] + x[i - 1]


@pytest.mark.parametrize("size", [1, 2, 7])
def test_10_negative_subscripts(size: int) -> None:
    agrees(last_and_first, np.zeros(size), np.arange(size) + 1.0)
    agrees(last_and_first, np.zeros(3), np.zeros(0))


def quotients(y, x, n):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[i] + (i // n + i % n)


@pytest.mark.parametrize("divisor", [3, -3, 0])
def test_12_division_by_zero(divisor: int) -> None:
    agrees(quotients, np.zeros(5, int), np.arange(5), divisor)
    agrees(quotients, np.zeros(0, int), np.arange(0), divisor)  # no iteration divides


def scaled(y, n):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = i * n


@pytest.mark.parametrize("number", [2**62 - 1, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 2**200])
@pytest.mark.parametrize("type", [np.int64, np.float64])
def test_13_large_integers(number: int, type: Any) -> None:
    agrees(scaled, np.zeros(2, type), number)


def running(x, distance):  # type: ignore[no-untyped-def]
    for i in range(distance, x.shape[0]):
        x[i] = x[i - distance] * 2 + x[i]


def shifted_down(x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0] - 1):
        x[i] = x[i + 1] - x[i]


@pytest.mark.parametrize("distance", [1, 2, 5])
def test_14_carried_dependences(distance: int) -> None:
    agrees(running, np.arange(40), distance)
    agrees(shifted_down, np.arange(10_000) ** 2)


def grows(x):  # type: ignore[no-untyped-def]
    total = 0
    for i in range(x.shape[0]):
        total = total + x[i]
    return total


def counts_then_averages(x):  # type: ignore[no-untyped-def]
    total = 0
    for _i in range(x.shape[0]):
        total += 0.5
    return total


@pytest.mark.parametrize("type", [np.int64, np.float64, np.float32, np.complex128])
def test_15_types_of_accumulators(type: Any) -> None:
    agrees(grows, np.arange(5).astype(type))
    agrees(counts_then_averages, np.arange(5).astype(type))


def one_too_far(y, x, shift):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[i + shift]


@pytest.mark.parametrize("shift", [-6, -5, -1, 0, 1, 2, 3])
def test_17_out_of_bounds_by_one(shift: int) -> None:
    agrees(one_too_far, np.full(4, 7.0), np.arange(5.0), shift)
    agrees(one_too_far, np.zeros(0), np.arange(5.0), shift)


def with_scale(y, x, scale):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[i] * scale[()]


def test_19_inputs_of_rank_0() -> None:
    agrees(with_scale, np.zeros(4), np.arange(4.0), np.array(2.5))
