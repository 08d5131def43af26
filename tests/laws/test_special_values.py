"""NaN, ±inf, −0.0, subnormals and the ends of integer ranges in reductions: what Python's own order gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import assert_agree, legal, model, native, outcome, run_low, threads, traced, unit_axes
from tests.laws.examples import examples
from tests.laws.test_programs import random_configuration
from tests.mdh.codegen.native import host
from tests.source_text import function_in


def greatest(y, x):
    for i in range(x.shape[0]):
        acc = -math.inf
        for j in range(x.shape[1]):
            acc = max(acc, x[i, j])
        y[i] = acc


def greatest_other_way_round(y, x):
    for i in range(x.shape[0]):
        acc = -math.inf
        for j in range(x.shape[1]):
            acc = max(x[i, j], acc)
        y[i] = acc


def greatest_that_keeps_nan(y, x):
    for i in range(x.shape[0]):
        acc = -math.inf
        for j in range(x.shape[1]):
            acc = np.maximum(acc, x[i, j])
        y[i] = acc


def greatest_without_nan(y, x):
    for i in range(x.shape[0]):
        acc = -math.inf
        for j in range(x.shape[1]):
            acc = np.fmax(acc, x[i, j])
        y[i] = acc


def least_in_place(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i] = min(y[i], x[i, j])


def least_by_comparison(y, x):
    for i in range(x.shape[0]):
        acc = math.inf
        for j in range(x.shape[1]):
            if x[i, j] < acc:
                acc = x[i, j]
        y[i] = acc


def last_greatest_by_comparison(y, x):
    for i in range(x.shape[0]):
        acc = x[i, 0]
        for j in range(1, x.shape[1]):
            if not x[i, j] < acc:
                acc = x[i, j]
        y[i] = acc


def place_of_greatest(y, x):
    for i in range(x.shape[0]):
        best, at = -math.inf, -1
        for j in range(x.shape[1]):
            if x[i, j] > best:
                best = x[i, j]
                at = j
        y[i] = at


def last_place_of_least(y, x):
    for i in range(x.shape[0]):
        best, at = math.inf, -1
        for j in range(x.shape[1]):
            if x[i, j] <= best:
                best, at = x[i, j], j
        y[i] = at


def running_greatest(y, x):
    acc = 1.0
    for j in range(x.shape[1]):
        acc = max(acc, x[0, j])
        x[0, j] = acc


def greatest_of_all(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[0] = max(y[0], x[i, j] * y.shape[0])


def some_and_all(y, x):
    for i in range(x.shape[0]):
        some, every = False, True
        for j in range(x.shape[1]):
            some = some or x[i, j] > 1
            every = every and x[i, j] == x[i, j]
        y[i] = some + 2 * every


REDUCTIONS = [
    greatest, greatest_other_way_round, greatest_that_keeps_nan, greatest_without_nan, least_in_place,
    least_by_comparison, last_greatest_by_comparison, place_of_greatest, last_place_of_least, some_and_all,
    running_greatest, greatest_of_all,
]  # fmt: skip

VALUES = [0.0, 1.0, -1.0, 2.5, math.nan, math.inf, -math.inf, 5e-324, -1e-310, 1e308]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("function", REDUCTIONS, ids=lambda f: f.__name__)
@given(data=st.data(), values=st.lists(st.sampled_from(VALUES), min_size=1, max_size=70), rows=st.integers(1, 9))
@examples(5)
def test_order_does_not_show(function: Callable[..., Any], data: st.DataObject, values: list[float], rows: int) -> None:
    type = data.draw(st.sampled_from(["f4", "f8"]))
    with np.errstate(over="ignore"):
        x = np.array(values * rows).reshape(rows, -1).astype(type)
    first = data.draw(st.sampled_from([0.0, math.nan, -math.inf]))
    arguments = lambda: (np.full(rows, first, type), x.copy())  # noqa: E731
    expected = outcome(function, arguments())
    program = traced(function, arguments())
    axes = unit_axes(program, [arguments()])
    chosen = model(program, arguments(), axes), (lambda *_: Configuration()), random_configuration(data)
    codes = [native(program, legal(axes, c), axes) for c in chosen]
    assert_agree(expected, outcome(lambda *a: interp.run(program, *a), arguments()), "interpreter", "numbers")
    found = outcome(lambda *a: run_low(program, chosen[2], host(), *a), arguments())
    assert_agree(expected, found, "low-level interpreter", "numbers")
    for code in (*codes, mdh.jit(cache=False)(function)):
        for count in (1, 2):
            with threads(count):
                assert_agree(expected, outcome(code, arguments()), function.__name__, "numbers")


def total(x):
    acc = x.dtype.type(0)
    for i in range(x.shape[0]):
        acc += x[i]
    return acc


def product(x):
    acc = x.dtype.type(1)
    for i in range(x.shape[0]):
        acc *= x[i]
    return acc


def alternating(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i] - x[x.shape[0] - 1 - i] + y[i]


INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@pytest.mark.parametrize("type", INTEGERS)
def test_integers_wrap(type: str) -> None:
    rng = np.random.default_rng(3)
    info = np.iinfo(type)
    compiled = [mdh.jit(cache=False)(f) for f in (total, product, alternating)]
    for n in (0, 1, 7, 64, 131):
        x = rng.integers(info.min, info.max, n, dtype=type, endpoint=True)
        y = rng.integers(info.min, info.max, n, dtype=type, endpoint=True)
        mine, theirs = y.copy(), y.copy()
        with np.errstate(over="ignore"):
            assert compiled[0](x) == total(x) and compiled[1](x) == product(x)
            alternating(theirs, x)
        compiled[2](mine, x)
        np.testing.assert_array_equal(mine, theirs)


def divided(q, r, x, d):
    for i in range(x.shape[0]):
        q[i] = x[i] // d[i]
        r[i] = x[i] % d[i]


@pytest.mark.parametrize("type", [*INTEGERS, "f4", "f8"])
def test_division_rounds_down(type: str) -> None:
    """Every sign, the ends of the range, and least // -1, which wraps."""
    if np.dtype(type).kind == "f":
        some = np.array([1, -1, 2.5, -2.5, 7, -7, 0.5, math.inf, -math.inf, math.nan, 0.0, -0.0, 5e-324, 1e30], type)
    else:
        info = np.iinfo(type)
        ends = [info.min, info.min + 1, info.max, info.max - 1, 1, 2, 3, 7]
        some = np.array([*ends, *([-1, -2, -7] if info.min else [])], type)
    some = some[some != 0] if np.dtype(type).kind == "u" else some
    x, d = (a.ravel() for a in np.meshgrid(some, some))
    f = mdh.jit(cache=False)(divided)
    found, expected = [np.zeros_like(x) for _ in range(2)], [np.zeros_like(x) for _ in range(2)]
    f(*found, x, d)
    with np.errstate(all="ignore"):
        divided(*expected, x, d)
    for mine, theirs in zip(found, expected):
        np.testing.assert_array_equal(mine, theirs)


def mean(x):
    acc = 0.0
    for i in range(x.shape[0]):
        acc += x[i]
    return acc / x.shape[0]


def row_means(y, x):
    for i in range(x.shape[0]):
        acc = 0.0
        for j in range(x.shape[1]):
            acc += x[i, j]
        y[i] = acc / x.shape[1]


def test_mean_of_nothing() -> None:
    """Python's own 0.0 divided by the number 0 is an error; NumPy's would be nan."""
    f, g = mdh.jit(cache=False)(mean), mdh.jit(cache=False)(row_means)
    assert f(np.arange(4.0)) == 1.5
    with pytest.raises(ZeroDivisionError), pytest.warns(mdh.JitWarning):
        f(np.zeros(0))
    y = np.zeros(2)
    g(y, np.ones((2, 3)))
    assert y.tolist() == [1, 1]
    g(y[:0], np.ones((0, 0)))
    with pytest.raises(ZeroDivisionError), pytest.warns(mdh.JitWarning):
        g(y, np.ones((2, 0)))


def array_power(x, e):
    return x**e


def numpy_power(x, e):
    return np.power(x, e)


def square_roots(x):
    return x**0.5, np.power(x, 0.5)


def powers_in_a_loop(y, x, e):
    for i in range(x.shape[0]):
        y[i] = np.power(x[i], e)


def operators_in_a_loop(y, x, e):
    for i in range(x.shape[0]):
        y[i] = x[i] ** e


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("type", ["f2", "f4", "f8"])
@pytest.mark.parametrize("exponent", [0.5, -0.5, 1.0, 2.0, -1.0, 0.0, 1.5, 3.0, -1.5, math.inf, math.nan])
def test_one_exponent_for_all(exponent: float, type: str) -> None:
    """NumPy takes the square root where it is 0.5, of -inf and -0.0, too; not where each element has its own."""
    x = np.array([-math.inf, -0.0, 0.0, math.inf, math.nan, -1.0, 4.0, -4.5], type)
    own, scalar = np.full_like(x, exponent), x.dtype.type(exponent)
    calls = [(array_power, e) for e in (exponent, scalar, own)] + [(numpy_power, e) for e in (exponent, scalar, own)]
    for function, e in calls:
        _same_powers(function, (x, e))
    for function in (powers_in_a_loop, operators_in_a_loop):
        for e in (exponent, scalar):
            _same_powers(function, (np.zeros_like(x), x, e))
    _same_powers(square_roots, (x,))


CONSTANTS = (-2, -1.5, -1, -0.5, 0.5, 1.5, 2.5, 3, 3.5, 4)
"""Powers by them are products, square roots and reciprocals."""


@pytest.mark.parametrize("type", ["f4", "f8"])
def test_constant_exponents(type: str) -> None:
    """Within the documented bound of the exact power over the whole range, and C's `pow` for special values."""
    texts = ", ".join(f"x[i] ** {c}" for c in CONSTANTS)
    loop = f"        for n, v in enumerate(({texts})):\n            y[n, i] = v\n"
    body = f"def f(y, x):\n    for i in range(x.shape[0]):\n{loop}"
    f = mdh.jit(cache=False)(function_in(body, f"<constant exponents of {type}>"))
    limit = np.finfo(type)
    ends = [limit.max, limit.tiny, limit.smallest_subnormal, limit.max**0.25, limit.tiny**0.5, 1 / limit.tiny]
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, -1.0, -2.5, *ends, *(-e for e in ends)]
    rng = np.random.default_rng(2)
    x = np.array([*special, *np.exp(rng.uniform(math.log(limit.tiny), math.log(limit.max), 300))], type)
    y = np.zeros((len(CONSTANTS), len(x)), type)
    f(y, x)
    for n, c in enumerate(CONSTANTS):
        with np.errstate(all="ignore"):
            exact = np.array([math.nan if v < 0 and c % 1 and v != -math.inf else _power(float(v), c) for v in x])
            rounded = exact.astype(type)
            units = np.abs(y[n].astype(np.longdouble) - exact) / np.spacing(np.abs(rounded)).astype(np.longdouble)
        fine = np.isfinite(rounded)
        assert np.array_equal(y[n][~fine], rounded[~fine], equal_nan=True), c
        assert np.array_equal(np.signbit(y[n][fine]), np.signbit(rounded[fine])), c
        assert (units[fine] <= 2.5).all(), (c, x[fine][units[fine] > 2.5])


def _power(value: float, exponent: float) -> np.longdouble:
    """As exactly as it can be had."""
    return np.power(np.longdouble(value), np.longdouble(exponent))


def _same_powers(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    expected, found = outcome(function, tuple(given)), outcome(mdh.jit(cache=False)(function), arguments)
    assert_agree(expected, found, f"{function.__name__}{arguments[1:]!r}", "nearly")
    for a, b in zip((*expected.arrays, expected.result), (*found.arrays, found.result)):
        if isinstance(a, np.ndarray):
            assert np.array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)])), function.__name__


def both_extrema(y, z, u, x):
    for i in range(x.shape[0]):
        y[i] = np.maximum(x[i], z[i])
        u[i] = np.minimum(x[i], z[i])


def extrema_of_constants(y, z, u, x):
    for i in range(x.shape[0]):
        y[i] = np.maximum(x[i], 0.0)
        u[i] = np.minimum(0.0, x[i])


@pytest.mark.parametrize("type", ["f2", "f4", "f8"])
def test_extrema_of_two(type: str) -> None:
    """The first of equal operands, so that zeros keep their signs, and NaN where one is."""
    some = [0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf]
    x, z = (np.array(part, type).ravel() for part in np.meshgrid(some, some))
    zero, nan = np.zeros_like(x), np.isnan(x)
    most, least = np.where((x >= z) | nan, x, z), np.where((x <= z) | nan, x, z)
    positive, negative = np.where((x >= 0) | nan, x, zero), np.where((x < 0) | nan, x, zero)
    for function, *expected in ((both_extrema, most, least), (extrema_of_constants, positive, negative)):
        y, u = np.empty_like(x), np.empty_like(x)
        mdh.jit(cache=False)(function)(y, z, u, x)
        for found, right in zip((y, u), expected):
            assert np.array_equal(found, right, equal_nan=True)
            assert np.array_equal(np.signbit(found)[~np.isnan(right)], np.signbit(right)[~np.isnan(right)])
