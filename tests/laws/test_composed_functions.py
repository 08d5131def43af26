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


@pytest.mark.in_turns(2)
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


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.gradient(x), lambda x: np.quantile(x, 0.5), lambda x: np.nanmedian(x), lambda x: np.cov(x[None]),
        lambda x: np.convolve(x, x), lambda x: np.correlate(x, x), lambda x: np.interp(1.0, x, x),
        lambda x: np.ediff1d(x), lambda x: np.vander(x, 3), lambda x: np.unwrap(x),
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


DETERMINANTS = (
    [[np.inf]], [[-np.inf]], [[np.nan]], [[0.0]], [[1.0, np.inf], [2.0, 3.0]], [[-1.0, 2.0], [2.0, -4.0]],
    [[0.0, 1.0], [0.0, -1.0]], [[1 + 1j, 2], [3, 4j]], [[1, 2j], [2, 4j]], [[0, 2], [-3, 1]],
)  # fmt: skip


def test_determinants_with_infinities_and_zeros() -> None:
    """Signs of what has no finite determinant, in a tuple that has NumPy's names."""

    def found(a: Any) -> Any:
        kept = np.linalg.slogdet(a)
        return kept, kept.sign * 2, kept.logabsdet, kept[1], len(kept)

    f = mdh.jit(cache=False, fallback="error")(found)
    for rows in DETERMINANTS:
        a = np.array(rows)
        with np.errstate(all="ignore"):
            got, want = f(a), found(a)
        assert type(got[0]) is type(want[0]) and got[0]._fields == ("sign", "logabsdet")
        np.testing.assert_allclose(
            [complex(n) for n in (*got[0], *got[1:])], [complex(n) for n in (*want[0], *want[1:])]
        )
        assert not np.signbit(np.real(got[0].sign)) or want[0].sign != 0


def named_alone(a: Any) -> Any:
    return np.linalg.qr(a)


def named_among_others(a: Any) -> Any:
    return [np.linalg.qr(a), (a[1:], np.linalg.slogdet(a))]


@pytest.mark.parametrize("function", [named_alone, named_among_others])
def test_tuples_with_names(function: Callable[[Any], Any]) -> None:
    """What NumPy gives as a tuple with names is one."""
    a = np.arange(9.0).reshape(3, 3) % 5
    f = mdh.jit(cache=False, fallback="error")(function)
    got, want = f(a), function(a)

    def same(one: Any, other: Any) -> None:
        assert type(one) is type(other)
        if isinstance(one, tuple | list):
            assert len(one) == len(other)
            for parts in zip(one, other):
                same(*parts)
        else:
            np.testing.assert_allclose(one, other, atol=1e-14)

    same(got, want)


def test_factors_of_nan() -> None:
    """A NaN is no error, it is NaN in all that it comes into."""
    f = mdh.jit(cache=False, fallback="error")(lambda a: np.linalg.cholesky(a))
    for rows in ([[np.nan, 1], [1, 2]], [[2, 1], [1, np.nan]], [[2, 1], [np.nan, 2]]):
        np.testing.assert_array_equal(f(np.array(rows)), np.linalg.cholesky(np.array(rows)))


@pytest.mark.parametrize("lengths", [(2, 2), (2, 3), (3, 2), (3, 3)])
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors", "ignore:.*runs as plain Python")
def test_cross_products_of_two_numbers(lengths: tuple[int, int]) -> None:
    x, y = (np.arange(n) + 2.0 for n in lengths)
    compiled = mdh.jit(cache=False)(lambda x, y: np.cross(x, y))
    try:
        expected = np.cross(x, y)
    except ValueError as error:  # of NumPy 2.5 on
        with pytest.raises(ValueError, match=str(error)[:20]):
            compiled(x, y)
    else:
        np.testing.assert_array_equal(compiled(x, y), expected)


def test_the_first_power_of_a_matrix_is_the_matrix() -> None:
    def written(a: Any) -> Any:
        r = np.linalg.matrix_power(a, 1)
        r[0, 0] = 7
        return r

    a = np.eye(2)
    assert mdh.jit(cache=False, fallback="error")(written)(a) is a
    assert a[0, 0] == 7


@pytest.mark.parametrize("type", ["f2", "f4", "f8", "c8"])
def test_sinc_of_nothing(type: str) -> None:
    x = np.array([0, 0.5, 1e-7], type)
    np.testing.assert_allclose(mdh.jit(cache=False, fallback="error")(lambda x: np.sinc(x))(x), np.sinc(x), rtol=1e-6)


def test_known_differences_from_lapack() -> None:
    """As `docs/reliability.md` says: where LAPACK's order of operations shows, and what NumPy lets nobody write to."""

    def known(a: Any, x: Any) -> Any:
        r = x.imag
        r[0] = 1
        return np.linalg.inv(a), np.histogram(x, 3, weights=np.full(3, 2**62))[0], r[0], (0j) ** -x.shape[0]

    inverse, counts, written, power = mdh.jit(cache=False, fallback="error")(known)(
        np.array([[np.nan, 1], [1, 2]]), np.ones(3)
    )
    assert np.isnan(inverse).all() and counts[1] == 3 * 2**62 - 2**64 and written == 1 and np.isinf(power.real)


def test_known_differences_of_outputs() -> None:
    out, a = np.zeros((2, 2)).T, np.eye(2)
    mdh.jit(cache=False, fallback="error")(lambda a, out: np.dot(a, a, out=out))(a, out)
    np.testing.assert_array_equal(out, a)  # NumPy takes arrays in C order only


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    "function", [lambda x, axis: np.average(x, axis=axis), lambda x, axis: np.quantile(x, 0.5, axis=axis)]
)
@pytest.mark.filterwarnings("ignore:.*runs as plain Python")
def test_along_axes_of_nothing(function: Callable[..., Any], axis: int, shape: tuple[int, int]) -> None:
    """Errors of a result without elements are errors, too."""
    x = np.zeros(shape)
    along: Callable[[Any], Any] = (lambda x: function(x, 0)) if axis == 0 else (lambda x: function(x, 1))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            want = along(x)
        except (ZeroDivisionError, IndexError) as error:
            with pytest.raises(error.__class__):
                mdh.jit(cache=False)(along)(x)
        else:
            np.testing.assert_array_equal(mdh.jit(cache=False)(along)(x), want)
