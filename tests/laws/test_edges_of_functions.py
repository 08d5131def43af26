"""NumPy's functions at the edges of what they take: axes that are not there, views of nothing, arrays that are written
from themselves, numbers outside of their range, conditions that are too long."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError

Function = Callable[..., Any]
VECTOR, MATRIX = np.array([2.0, -1.0, 3.5]), np.array([[2.0, 5.0, -1.0], [0.0, 3.0, 3.0]])


def outcome(function: Function, given: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """A result or an error, and the arguments behind the call."""
    own = [a.copy() if isinstance(a, np.ndarray) else a for a in given]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*own), own
        except Exception as error:
            return error, own


def agree(function: Function, *given: Any) -> None:
    """With NumPy: the same result and arguments, or an error of the same kind. Only what NumPy refuses, or says itself
    in another type, may be refused."""
    want, after = outcome(function, given)
    got, found = outcome(mdh.jit(cache=False)(function), given)
    if isinstance(want, Exception):
        kinds = [kind for kind in (IndexError, ValueError, TypeError) if isinstance(want, kind)]
        assert isinstance(got, (*kinds, NotAnMdhError)), f"{got!r} where NumPy raises {want!r}"
        return
    assert not isinstance(got, Exception), f"{got!r}, NumPy: {want!r}"
    for one, other in zip([got, *found], [want, *after], strict=True):
        for a, b in zip(*(x if isinstance(x, tuple | list) else [x] for x in (one, other)), strict=True):
            assert np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_array_equal(a, b)


ALONG: tuple[Callable[[Any, int], Any], ...] = (
    lambda x, n: np.sort(x, axis=n), lambda x, n: np.argsort(x, axis=n), lambda x, n: np.median(x, axis=n),
    lambda x, n: np.quantile(x, 0.5, axis=n), lambda x, n: np.diff(x, axis=n), lambda x, n: np.roll(x, 1, axis=n),
    lambda x, n: np.repeat(x, 2, axis=n), lambda x, n: np.rollaxis(x, n), lambda x, n: np.rollaxis(x, 0, n),
    lambda x, n: np.stack((x, x), axis=n), lambda x, n: np.concatenate((x, x), axis=n), lambda x, n: np.flip(x, axis=n),
    lambda x, n: np.delete(x, 0, axis=n), lambda x, n: np.cumsum(x, axis=n), lambda x, n: np.take(x, [0, 0], axis=n),
    lambda x, n: np.argmax(x, axis=n), lambda x, n: np.std(x, axis=n), lambda x, n: np.average(x, axis=n),
    lambda x, n: np.expand_dims(x, n), lambda x, n: np.take_along_axis(x, np.zeros_like(x, dtype=int), axis=n),
    lambda x, n: np.array_split(x, 2, axis=n)[1], lambda x, n: np.nanmax(x, axis=n), lambda x, n: np.swapaxes(x, n, 0),
    lambda x, n: np.delete(x, [0, -1], axis=n), lambda x, n: np.nanquantile(x, 0.5, axis=n),
    lambda x, n: np.cumulative_sum(x, axis=n, include_initial=True), lambda x, n: np.mean(x, axis=n, where=x > 0),
    lambda x, n: np.lib.stride_tricks.sliding_window_view(x, 2, axis=n) * 1,
    lambda x, n: np.var(x, axis=n, where=x > 1),
    lambda x, n: np.trapezoid(x, axis=n) if n in (-1, x.ndim - 1) or not -x.ndim <= n < x.ndim else x,
)  # fmt: skip


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("number", range(len(ALONG)))
def test_axes_that_are_not_there(number: int) -> None:
    """They are refused, and none that is there."""
    for array in (VECTOR, MATRIX):
        for axis in range(-4, 4):
            agree(ALONG[number], array, axis)


VIEWS: tuple[Callable[[Any, int], Any], ...] = (
    lambda x, n: x[:n][::-1], lambda x, n: x[::-1][n:], lambda x, n: np.flip(x[:n]), lambda x, n: x[n:][::-1][:n],
    lambda x, n: x[:, :n][:, ::-1], lambda x, n: x.T[n:][::-2], lambda x, n: (x[n:][::-1].real, x),
    lambda x, n: x[::-1, n:][:, ::-1], lambda x, n: np.flip(x[n:n]), lambda x, n: x[:n][::-1, None],
)  # fmt: skip


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("number", range(len(VIEWS)))
def test_views_of_nothing_backwards(number: int) -> None:
    for n in (0, 1, 2, 3, 9):
        agree(VIEWS[number], MATRIX, n)


def put(x: Any, k: Any, v: Any) -> Any:
    np.put(x, k, v)
    return x


def put_own(x: Any, k: Any) -> Any:
    np.put(x, k, x[::-1])
    np.put(x, k, x)
    return x


def put_along(x: Any, k: Any, v: Any) -> Any:
    np.put_along_axis(x, k, v, axis=1)
    return x


def put_own_along(x: Any, k: Any) -> Any:
    np.put_along_axis(x, k, x[::-1], axis=1)
    np.put_along_axis(x, k, x, axis=0)
    return x


TURNED, THREE = np.array([4, 0, 1, 2, 3]), np.arange(3.0)
WRITTEN: tuple[tuple[Function, Any], ...] = (
    (put_own, (np.arange(5.0), TURNED)),
    (put_own, (np.arange(5), TURNED[::-1])),
    (put_own_along, (np.arange(4.0).reshape(2, 2), np.array([[1, 0], [0, 1]]))),
    (put_own_along, (np.arange(4).reshape(2, 2), np.array([[1, 0], [1, 0]]))),
    *((put, (np.arange(5.0), TURNED, values)) for values in (np.array([7.0, 8.0]), np.arange(9.0), 3.0, np.zeros(0))),
    (put, (np.zeros(0), np.array([0]), THREE)),
    *((put_along, (MATRIX, np.array(k), values)) for k in ([[0], [2]], [[1]], [[0, 1]] * 3)
      for values in (np.ones((2, 1)), np.ones((1, 1)), np.ones((2, 2)), 4.0)),
)  # fmt: skip


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("number", range(len(WRITTEN)))
def test_arrays_written_from_themselves_and_from_others(number: int) -> None:
    function, given = WRITTEN[number]
    agree(function, *given)


def copied_under_a_mask(x: Any, y: Any) -> Any:
    np.copyto(x, y, where=y > 1)
    return x


def kept_axes(x: Any) -> Any:
    return np.median(x, keepdims=True)


TYPES = ("?", "u1", "i4", "f4", "i8")
OUTSIDE: tuple[tuple[Function, tuple[Any, ...]], ...] = (
    *((lambda x, q: np.quantile(x, q), (VECTOR, q)) for q in (50.0, -0.1, np.nan, 0.0, 1.0)),
    *((function, (VECTOR,)) for function in (
        lambda x: np.percentile(x, -1), lambda x: np.percentile(x, 101.5), lambda x: np.quantile(x, 2),
        lambda x: np.select([x > 1, x < 0], [x]), lambda x: np.piecewise(x, [x > 1, x < 0], [1]),
        lambda x: np.piecewise(x, [x > 1], [1, 2, 3]), lambda x: np.pad(x, ((1, 2), (0, 1))),
        lambda x: np.histogram(x, 3, (5, -2))[0], lambda x: np.histogram(x, 3, (0.0, np.inf))[0],
        lambda x: np.histogram(x, 0)[0], lambda x: np.histogram(x, -1)[0],
    )),
    (lambda x: np.rot90(x, 1, (0, 0)), (MATRIX,)),
    (lambda x: np.rot90(x, 1, (2, 1)), (MATRIX,)),
    (lambda x: np.rot90(x, 1, (-1, 0)), (MATRIX,)),
    *((lambda x: np.resize(x, 4), (x,)) for x in (VECTOR, VECTOR[:0], VECTOR[:1])),
    *((lambda c, x: np.extract(c > 0, x), (c, x)) for c, x in (
        (np.ones((3, 3)), np.ones((3, 2))), (np.ones(4), THREE), (np.array([1.0, 0, 0, 0]), THREE), (THREE[:2], THREE),
    )),
    *((lambda c, x: np.compress(c > 0, x, axis=0), (c, MATRIX)) for c in (THREE, THREE[:1], THREE[1:], THREE * 0)),
    *((lambda x, c: np.sum(x, where=c > 0), (x, c)) for x, c in (
        (VECTOR, MATRIX), (MATRIX, VECTOR), (VECTOR, VECTOR[:1]), (VECTOR[:1], VECTOR),
    )),
    (copied_under_a_mask, (np.array([2**63 + 1, 2**64 - 1], "u8"), np.array([1, 2]))),
    (copied_under_a_mask, (np.array([2**62 + 1, 7]), np.array([1, 2**60 + 1], "u8"))),
    *((kept_axes, (np.arange(16.0).reshape(shape),)) for shape in ((16,), (4, 4), (2, 2, 4))),
    (lambda x: (np.nanargmax(x), np.nanargmin(-x)), (np.array([2**53, 2**53 + 1]),)),
    *((lambda x, y: (np.intersect1d(x, y), np.union1d(x, y), np.setdiff1d(x, y)),
       (np.array([1, 0, 1], one), np.array([1, 1], other))) for one in TYPES for other in TYPES),
)  # fmt: skip


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("number", range(len(OUTSIDE)))
def test_what_is_outside_of_a_range(number: int) -> None:
    function, given = OUTSIDE[number]
    agree(function, *given)
