"""Lists and tuples of numbers beside arrays: what NumPy makes arrays of; and quotients, divisors, reciprocals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError

# ruff: noqa: RUF005, SIM300

OF_VECTORS: tuple[Callable[..., Any], ...] = (
    lambda x: (x * [1, 2, 3] - (1, 2, 3), [2, 2, 2] / x, x < [2, 2, 2], [1, 2, 3] == x, x**[1, 2, 0], x // [1, 2, 2]),
    lambda x: (np.where(x > 1, [1, 2, 3], 0), np.minimum([1.5, 2, 3], x), np.add(x, (1, 2, 3)), np.outer(x, [1, 2])),
    lambda x: (np.dot(x, [1, 2, 3]), x.dot([1, 2, 3]), np.inner(x, [1, 2, 3]), x @ [1, 2, 3], [1, 2, 3] @ x),
    lambda x: (x + [[1], [2]], x * [[1, 2, 3], [4, 5, 6]], x + [len(x), x[0], 2], x[:2] + [x[0], x[1]]),
    lambda x: (np.kron(x, [1, 2]), np.cross(x, [1, 0, 0]), np.correlate(x, [1, 2]), np.convolve(x, [1, 0, -1])),
    lambda x: (np.average(x, weights=[1, 2, 3]), np.interp(x, [1, 2], [3, 4]), np.append(x, [1, 2])),
    lambda x: (np.digitize(x, [0, 1]), np.searchsorted(x, [1, 2]), np.stack([x, [1, 2, 3]]), np.isclose(x, [1, 2, 3])),
)  # fmt: skip


def same(got: Any, want: Any) -> None:
    for one, other in zip(got, want, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype and np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("type", ["i1", "i8", "f4", "f8"])
@pytest.mark.parametrize("number", range(len(OF_VECTORS)))
def test_beside_vectors(number: int, type: str) -> None:
    x = np.array([1, 2, 3], type)
    same(mdh.jit(cache=False, fallback="error")(OF_VECTORS[number])(x), OF_VECTORS[number](x))


def updated(x: Any) -> Any:
    kept = (1, 2, 3)
    x += [1, 2, 3]
    x[:] = x * [1, 2, 3]
    x[1:] -= [4, 5]
    kept += x
    np.add.at(x, np.array([0, 0]), [5, 6])
    return kept, x


def test_updates() -> None:
    same(mdh.jit(cache=False, fallback="error")(updated)(np.arange(3)), updated(np.arange(3)))


def extended(x: Any) -> Any:
    kept = [1, 2]
    kept += x
    return kept


def test_a_list_that_takes_the_elements_of_an_array_is_refused() -> None:
    """`+=` of a list is none of arrays."""
    with pytest.raises(NotAnMdhError, match="takes its elements"):
        mdh.jit(cache=False, fallback="error")(extended)(np.arange(3.0))


@pytest.mark.parametrize("type", ["u1", "i4", "f4", "f8"])
def test_quotients_with_what_is_left(type: str) -> None:
    x, y = np.array([7, 0, 3, 250], type), np.array([2, 2, 7, 9], type)
    if type[0] != "u":
        x[2] = -3
    f = mdh.jit(cache=False, fallback="error")(lambda x, y: (divmod(x, y), np.divmod(x, 3), np.divmod(7, len(x))))
    for got, want in zip(f(x, y), f.py_func(x, y), strict=True):
        same(got, want)


def test_common_divisors() -> None:
    def divisors(x: Any, n: int) -> Any:
        total = math.gcd(n, 0) + math.lcm(n, -4)
        for i in range(len(x)):
            total += math.gcd(x[i], n) * math.lcm(i, n)
        return total

    x = np.arange(-6, 30)
    for n in (0, 1, 12, -18):
        assert mdh.jit(cache=False, fallback="error")(divisors)(x, n) == divisors(x, n)


def test_reciprocals() -> None:
    for x in (np.array([2.0, -0.0, np.inf]), np.array([2, 4, 0], "f4"), np.array([2, 1j])):
        with np.errstate(all="ignore"):
            same([mdh.jit(cache=False, fallback="error")(lambda x: np.reciprocal(x))(x)], [np.reciprocal(x)])
    with pytest.raises(NotAnMdhError, match="not supported"):
        mdh.jit(cache=False, fallback="error")(lambda x: np.reciprocal(x))(np.arange(3))
