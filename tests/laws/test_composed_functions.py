"""NumPy's functions that are written in others, of narrow integers at their ends, of bools and of nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError

STATISTICS: tuple[Callable[..., Any], ...] = (
    lambda x, w: (np.gradient(x), np.average(x, weights=w), np.nanmean(x), np.nanmedian(x), np.quantile(x, 0.3)),
    lambda x, w: (np.ediff1d(x), np.vdot(x, w), np.correlate(x, w, "full"), np.convolve(x, w), np.vander(x, 3)),
    lambda x, w: (
        np.interp(w, np.sort(x), x),
        np.linspace(x[0], x[1], 5),
        np.histogram(x, 3)[0],
        np.histogram(w, 4)[1],
    ),
    lambda x, w: (
        np.cov(np.stack([x, w])),
        np.quantile(np.stack([x, w]), 0.7, axis=1),
        np.histogram(x, 3, (-100, 100))[0],
    ),
)
TYPES = ("i1", "u1", "u8")


def values(type: str) -> tuple[Any, Any]:
    kind = np.dtype(type)
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    return np.array([high, low, 7, 100, 3], kind), np.array([100, 100, 50, 20, 1], kind)


def outcome(function: Callable[..., Any], *given: Any) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*given)
        except (ValueError, IndexError, TypeError) as error:
            return error


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("number", range(len(STATISTICS)))
def test_at_the_ends_of_types(number: int, type: str) -> None:
    """They are computed in the types that NumPy computes them in."""
    function = STATISTICS[number]
    got = outcome(mdh.jit(cache=False)(function), *values(type))
    if isinstance(got, NotAnMdhError):
        assert type == "u8" and number == 3  # of which -100 is none
        return
    for one, other in zip(got, outcome(function, *values(type)), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-14)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.gradient(x), lambda x: np.quantile(x, 0.5), lambda x: np.nanmedian(x), lambda x: np.cov(x[None]),
        lambda x: np.convolve(x, x), lambda x: np.correlate(x, x), lambda x: np.interp(1.0, x, x),
        lambda x: np.ediff1d(x), lambda x: np.vander(x, 3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("type", ["f8", "?"])
def test_of_nothing(function: Callable[[Any], Any], type: str) -> None:
    got, want = (outcome(f, np.array([], type)) for f in (mdh.jit(cache=False)(function), function))
    if isinstance(got, NotAnMdhError):
        assert type == "?" and isinstance(want, TypeError | IndexError | ValueError)
    elif isinstance(want, Exception):
        assert isinstance(got, want.__class__)
    else:
        np.testing.assert_array_equal(got, want)


def powers(a: Any) -> Any:
    return [np.linalg.matrix_power(a, n) for n in (0, 1, 2, 3)]


@pytest.mark.parametrize("infinite", [np.inf, -np.inf, np.nan])
def test_powers_of_matrices_with_infinities(infinite: float) -> None:
    """A product with the unit matrix would turn them into NaN."""
    a = np.array([[1.0, infinite], [2.0, 3.0]])
    f = mdh.jit(cache=False)(powers)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(f(a), powers(a))
