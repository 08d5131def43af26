"""Ways of writing that everyday programs are full of, one small program each: compiled as a whole ≡ plain Python."""

from __future__ import annotations

import copy
import enum
import functools
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import jitmdh as mdh

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

PROGRAMS: list[tuple[Callable[..., Any], Callable[[np.random.Generator], tuple[Any, ...]]]] = []


def given(arguments: Callable[[np.random.Generator], tuple[Any, ...]]) -> Callable[..., Any]:
    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, arguments))
        return function

    return kept


def vector(random: np.random.Generator) -> tuple[Any, ...]:
    return (random.random(20),)


def matrix(random: np.random.Generator) -> tuple[Any, ...]:
    return (random.random((6, 6)),)


# --------------------------------------------------------------------------------------------- loops, and leaving them


@given(vector)
def found_first(x):
    for i in range(len(x)):
        if x[i] > 0.8:
            return i
    return -1


@given(vector)
def left_and_not_left(x):
    for v in x:
        if v > 2.0:
            s = v
            break
    else:
        s = 1.0
    k = 0
    while True:
        k += 1
        if k % 3 == 0:
            continue
        if k > 10:
            break
        s += k
    return s, k


@given(vector)
def loops_over_everything(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
    for v, w in zip(x, x[::-1]):
        s += v * w
    for v in reversed(x):
        s = 0.5 * s + v
    for i in mdh.prange(len(x)):
        s += x[i]
    for d in (-1, 0, 1):
        s += x[5 + d]
    for i, j in np.ndindex(3, 4):
        s += x[i + j]
    return s


@given(matrix)
def rows(m):
    s = 0.0
    for row in m:
        s += row.max()
    return s


@given(lambda r: (r.random((8, 10)),))
def insertion_sort_of_each_row(m):
    y = m.copy()
    for r in range(y.shape[0]):
        for i in range(1, y.shape[1]):
            v = y[r, i]
            j = i - 1
            while j >= 0 and y[r, j] > v:
                y[r, j + 1] = y[r, j]
                j -= 1
            y[r, j + 1] = v
    return y


# ------------------------------------------------------------------------------------------------------- local names


@given(lambda r: (r.random(20), np.zeros(20), 5))
def swapped_in_a_time_loop(start, v, n):
    u, v = start.copy(), v.copy()
    for _ in range(n):
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
    return u.copy()


@given(lambda r: (r.random(20), 4))
def copied_in_a_time_loop(p, n):
    for _ in range(n):
        pn = p.copy()
        for i in range(1, len(p) - 1):
            p[i] = pn[i - 1] + pn[i + 1]
    return p


@given(lambda r: (r.random(20), 4))
def computed_by_a_function_in_a_time_loop(p, n):
    def force(q):
        return -q

    a = force(p)
    for _ in range(n):
        p = p + 0.1 * a
        a = force(p)
    return p


@given(matrix)
def element_just_written(y):
    for i in range(y.shape[0]):
        m = 0.0
        for j in range(y.shape[1]):
            y[i, j] = y[i, j] + m
            m = y[i, j]
    return y


@given(lambda r: (r.random((7, 3)),))
def small_tuples_and_arrays(p):
    out = np.zeros(len(p))
    weights = np.array([1.0, 2.0, 3.0])
    for i in range(len(p)):
        ax, ay, az = p[i, 0], p[i, 1], p[i, 2]
        own = np.empty(3)
        own[0], own[1], own[2] = ay * az, az * ax, ax * ay
        for k in range(3):
            out[i] += own[k] * weights[k]
    return out


OUTSIDE = np.arange(20.0)
OUTSIDE.flags.writeable = False


class Pair(NamedTuple):
    x: Any
    scale: float


class Mode(enum.Enum):
    UP = 1
    DOWN = 2


@given(vector)
def arrays_from_outside(x):
    return (x * OUTSIDE).sum()


@given(lambda r: (Pair(r.random(20), 2.0),))
def named_tuples(pair):
    return pair.x * pair.scale


def scaled(x, k=2.0, *, shift=0.0):
    return k * x + shift


@given(vector)
def functions_of_functions(x):
    twice = functools.partial(scaled, shift=1.0)
    more = lambda v, w=1.0: v + w  # noqa: E731
    return more(twice(x), scaled(x, k=3.0)) + more(x)


@given(lambda r: (r.random(20), r.random(20), r.random(20)))
def any_number_of_arrays(x, *others):
    total = x.copy()
    for y in others:
        total += y
    return total


class Model:
    def __init__(self, random):
        self.weights = random.random(20)
        self.scale = 2.0


@given(lambda r: (Model(r), r.random(20)))
def attributes(self, x):
    s = 0.0
    for i in range(len(x)):
        s += self.weights[i] * x[i]
    return self.scale * s


# --------------------------------------------------------------------------------------------------- static arguments


@given(lambda r: (r.random(20), None, "relu", Mode.DOWN, (20,), np.float32))
def decided_while_tracing(x, b, mode, way, shape, dtype):
    y = np.zeros(shape, dtype)
    if b is not None:
        x = x + b
    if mode == "relu":
        x = np.maximum(x - 0.5, 0.0)
    y[:] = x if way is Mode.UP else -x
    return y


# --------------------------------------------------------------------------------------------------------- subscripts


@given(lambda r: (r.random(16), r.random(4), 4))
def two_updates_at_flat_places(c, a, n):
    for i in range(n):
        for j in range(i + 1):
            c[n * i + j] *= 2.0
        for j in range(i + 1):
            c[n * i + j] += a[j]
    return c


@given(lambda r: (r.random(5),))
def slices_updated_by_themselves(y):
    for k in range(1, y.shape[0]):
        y[:k] += 0.5 * np.flip(y[:k])
    return y


@given(lambda r: (r.random(20), np.array([3, 1, 4, 1])))
def elements_at(x, i):
    return x[i]


@given(lambda r: (r.random((6, 6)), np.array([3, 1, 4, 1])))
def rows_at(m, i):
    return m[i]


@given(lambda r: (r.random(20), np.array([3, 1, 4]), np.array([9.0, 8.0, 7.0])))
def elements_at_written(y, i, v):
    y[i] = v
    return y


@given(vector)
def elements_chosen(x):
    return x[x > 0.5], x[x > 0.5].sum()


@given(lambda r: (r.random((4, 9, 7)), np.array([[1, 2], [3, 4]])))
def places_of_all_kinds(g, ix):
    s = 0.0
    for k in range(4):
        for e in range(3, 9):
            for w in range(3):
                for a in range(2):
                    for b in range(2):
                        s += g[k, e - w, ix[a, b]]
    return s


@given(vector)
def new_axes(x):
    return x[:, np.newaxis] * x[np.newaxis, :]


@given(lambda r: (r.random(20), 7))
def slices(x, k):
    return x[-5:-1] * 2, x[k - 1 :: -1] * 2, x[k:] * 2


@given(lambda r: (r.random(20), np.array([0, 3, 9, 20])))
def slices_whose_bounds_are_data(a, ptr):
    out = np.zeros(3)
    for i in range(3):
        out[i] = a[ptr[i] : ptr[i + 1]].sum()
    return out


@given(vector)
def views_that_overlap(x):
    a = x[1:]
    b = x[:-1]
    a += b
    return x


@given(matrix)
def axes_joined(m):
    return m.reshape(-1) + 1, m.T.reshape(36) + 1


@given(lambda r: (np.asfortranarray(r.random((3, 4))),))
def columns_first(m):
    return m + 1


@given(lambda r: (1.5, 2))
def lists_of_results(a, b):
    return [a, b]


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_construct(function: Any, arguments: Any) -> None:
    ours, theirs = (arguments(np.random.default_rng(5)) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = mdh.jit(function, tune="off", fallback="error")(*ours)
    _same(got, function(*copy.deepcopy(theirs)))
    function(*theirs)
    _same(ours, theirs)


def _same(got: Any, want: Any) -> None:
    if isinstance(want, tuple | list):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want):
            _same(g, w)
    elif isinstance(want, np.ndarray | np.generic | int | float):
        got, want = np.asarray(got), np.asarray(want)
        assert (got.dtype, got.shape, got.flags.f_contiguous) == (want.dtype, want.shape, want.flags.f_contiguous)
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-13)
    elif isinstance(want, Model):
        _same(tuple(vars(got).values()), tuple(vars(want).values()))
    else:
        assert got is want
