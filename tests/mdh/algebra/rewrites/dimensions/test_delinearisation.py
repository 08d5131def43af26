"""Arrays that are read row by row: one dimension for each axis, no quotients, the same values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh


def total(x: Any) -> Any:
    return x.ravel().sum()


def product(x: Any) -> Any:
    return x.reshape(-1) @ x.ravel()


def greatest(x: Any) -> Any:
    return (x.ravel() * 2).max(initial=-9)


def counts(x: Any) -> Any:
    return np.bincount(x.ravel(), minlength=8)


def table(x: Any) -> Any:
    return np.arange(60)[x.ravel()].sum()


def by_hand(x: Any) -> Any:
    s = 0
    for n in range(x.shape[0] * x.shape[1] * x.shape[2]):
        i, j, k = n // x.shape[2] // x.shape[1], n // x.shape[2] % x.shape[1], n % x.shape[2]
        s += 2 * x[i, j, k]
    return s


def first_place(x: Any) -> Any:
    return x.ravel().argmax()


def some(x: Any) -> Any:
    flat, s = x.ravel(), 0
    for i in range(flat.shape[0] // 2):
        s += flat[i]
    return s


def reversed_total(x: Any) -> Any:
    return (x.ravel()[::-1] * 3).sum()


def weighted(x: Any) -> Any:
    flat, s = x.ravel(), 0
    for i in range(flat.shape[0]):
        s += i * flat[i]
    return s


ALL: list[Callable[[Any], Any]] = [total, product, greatest, counts, table, by_hand]
NONE: list[Callable[[Any], Any]] = [some, reversed_total, weighted]


def arrays(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 50, (6, 7, 10))
    return [x, x[:, ::2], x.transpose(2, 0, 1), x[:0], x[:, :, :1], x[:, :0], x[::-1]]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_no_quotient_is_left(function: Callable[[Any], Any]) -> None:
    f = mdh.jit(cache=False, tune="off")(function)
    for x in arrays(1):
        np.testing.assert_array_equal(f(x), function(x))
    text = f.inspect(arrays(1)[0], stage="mdh")
    assert not re.search(r"@\d+ = .*//", text), text


@pytest.mark.parametrize("function", [*NONE, first_place], ids=lambda f: f.__name__)
def test_places_that_are_looked_at_are_kept(function: Callable[[Any], Any]) -> None:
    f = mdh.jit(cache=False, tune="off")(function)
    for x in arrays(2):
        if x.size or function is not first_place:
            np.testing.assert_array_equal(f(x), function(x))
    assert function is first_place or "//" in f.inspect(arrays(2)[0], stage="mdh")


def test_sums_in_order_keep_it() -> None:
    x = np.random.default_rng(0).standard_normal((9, 11, 5)).astype(np.float32)
    s = np.float32(0)
    for v in x.ravel():
        s += v

    def in_order(x: Any) -> Any:
        flat, s = x.ravel(), np.float32(0)
        for i in range(flat.shape[0]):
            s += flat[i]
        return s

    assert mdh.jit(reassociate=False, cache=False)(in_order)(x) == s


def test_an_array_of_other_extents_is_looked_at() -> None:
    """Its own bounds say more than that each place is within the axes that are counted."""

    def both(x: Any, y: Any) -> Any:
        s = 0
        for n in range(x.shape[0] * x.shape[1]):
            s += x[n // x.shape[1], n % x.shape[1]] * y[n // x.shape[1], n % x.shape[1]]
        return s

    x, y = np.arange(12).reshape(3, 4), np.arange(20).reshape(4, 5)
    f = mdh.jit(cache=False, tune="off")(both)
    assert f(x, y) == both(x, y)
    with pytest.raises(IndexError):
        f(x, y[:2])


def plus_one(x: Any) -> Any:
    return x.ravel() + 1


def written_one_by_one(x: Any) -> Any:
    y, flat = np.empty(x.size, x.dtype), x.ravel()
    for i in range(x.size):
        y[i] = 2 * flat[i]
    return y


def beside_a_vector(x: Any, v: Any) -> Any:
    return x.ravel() * v


def into_a_vector(x: Any, v: Any) -> Any:
    v += x.reshape(-1)
    return v


def weighted_sum(x: Any, v: Any) -> Any:
    return x.ravel() @ v


def neighbours(x: Any, v: Any) -> Any:
    return x.ravel()[1:] * v[:-1]


def complex_numbers(x: Any) -> Any:
    return x.ravel() * (1 + 2j)


def twice(x: Any, v: Any) -> Any:
    w = x.ravel() * v
    return w, np.sort(v)


FLAT: list[Callable[..., Any]] = [plus_one, written_one_by_one, beside_a_vector, into_a_vector, weighted_sum]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("function", [*FLAT, neighbours, complex_numbers, twice], ids=lambda f: f.__name__)
def test_vectors_beside_them_are_seen_as_rows(function: Callable[..., Any]) -> None:
    """So are results: `x.ravel() + 1` has as many elements as x, row by row."""
    f = mdh.jit(cache=False, tune="off")(function)
    for x in (*arrays(3), np.arange(2048 * 3).reshape(-1, 3)):
        for step in (1, 2):
            v = np.arange(2 * x.size)[:: 2 if step == 2 else -2]
            v = v[: x.size] if step == 2 else np.ascontiguousarray(v[: x.size])
            given, expected = [(x, v.copy() if step == 1 else v.repeat(2)[::2]) for _ in range(2)]
            count = function.__code__.co_argcount
            if not x.size and function is neighbours:
                continue
            wanted, got = function(*expected[:count]), f(*given[:count])
            for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (got, wanted))):
                np.testing.assert_array_equal(a, b)
                assert np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_array_equal(given[1], expected[1])
    assert function not in FLAT or "//" not in f.inspect(*given[:count], stage="mdh")


def test_a_vector_that_is_too_short_is_told_before_it_is_written() -> None:
    def into(x: Any, v: Any) -> None:
        flat = x.ravel()
        for i in range(x.size):
            v[i] = flat[i]

    x, v = np.arange(12.0).reshape(3, 4), np.zeros(11)
    with pytest.raises(IndexError):
        mdh.jit(cache=False, tune="off")(into)(x, v)
    assert not v.any()
