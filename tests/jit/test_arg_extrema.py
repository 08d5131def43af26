"""Arg-max and arg-min as loops: ties, NaN, infinities, empty ranges, integers; Python ≡ interpreter ≡ compiled."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type


def first(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0]):
        if x[j] > best:
            best = x[j]
            idx = j
    return best, idx


def last(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0]):
        if x[j] >= best:
            best = x[j]
            idx = j
    return best, idx


def minfirst(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0]):
        s = x[j]
        best, idx = (s, 2 * j + 1) if s < best else (best, idx)
    return best, idx


def minlast(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0]):
        if best >= x[j]:
            best = x[j]
            idx = j + 3
    return best, idx


def neg(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0]):
        if x[j] > best:
            best = x[j]
            idx = -j
    return best, idx


def down(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0] - 1, -1, -1):
        if x[j] > best:
            best = x[j]
            idx = j
    return best, idx


def payload(x, b0, i0):
    best = b0
    p = 0.5
    for j in range(x.shape[0]):
        if x[j] >= best:
            best = x[j]
            p = x[x.shape[0] - 1 - j] * 2.0
    return best, p


def conditional(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0]):
        if x[j] != 2 and x[j] >= best:
            best = x[j]
            idx = j
    return best, idx


def odd(x, b0, i0):
    best = b0
    idx = i0
    for j in range(x.shape[0]):
        if j > 1 and x[j] > best:
            best = x[j]
            idx = j
    return best, idx


def two(x, b0, i0):
    best = b0
    bi = i0
    bj = i0
    for i in range(3):
        for j in range(x.shape[0] - 2):
            if x[j + i] > best:
                best = x[j + i]
                bi = i
                bj = j
    return best, bi, bj


def two_last(x, b0, i0):
    best = b0
    bj = i0
    v = 1.5
    for i in range(3):
        for j in range(x.shape[0] - 2):
            if x[j + i] >= best:
                best = x[j + i]
                bj = j - i
                v = x[i] * 1.0
    return best, bj, v


def several(x, b0, i0):
    best = b0
    idx = i0
    lo = b0
    at = i0
    s = 0.0
    for j in range(x.shape[0]):
        if x[j] >= best:
            best = x[j]
            idx = j
        if x[j] < lo:
            lo = x[j]
            at = j
        s += 1.0
    return best, idx, lo, at, s


FUNCTIONS = (first, last, minfirst, minlast, neg, down, payload, conditional, odd, two, two_last, several)
TYPES = ("f4", "f8", "i4", "u1", "i8")


def inputs(rng, type, size):
    """Few different values, so that ties are the rule; some of the extreme ones, in some cases nothing else."""
    extreme = (-np.inf, np.inf) if type[0] == "f" else (np.iinfo(type).min, np.iinfo(type).max)
    for case in range(6):
        x = rng.integers(0, 4, size).astype(type)
        if type[0] == "f":
            x[rng.random(size) < 0.2] = np.nan
        if case % 2:
            x[rng.random(size) < 0.3] = extreme[0]
            x[rng.random(size) < 0.1] = extreme[case % 3 > 0]
        if case >= 4:
            x[:] = extreme[0] if case == 4 or type[0] != "f" else np.nan
        yield x


def initial(type):
    if type[0] == "f":
        return [-np.inf, np.inf, 0.0, np.nan, np.dtype(type).type(1)]
    return [np.dtype(type).type(v) for v in (np.iinfo(type).min, np.iinfo(type).max, 1)]


def equal(expected, found):
    for e, f in zip(expected, found, strict=True):
        np.testing.assert_array_equal(np.asarray(f), np.asarray(e))


@functools.cache
def traced(function, *types):
    program = trace(capture(function), types)
    check(program)
    return program


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_same_as_python(function) -> None:
    rng = np.random.default_rng(3)
    compiled = mdh.jit(tune="off")(function)
    for type in TYPES:
        for size in (2, 5, 201) if function in (two, two_last) else (0, 1, 2, 17, 201):
            for x in inputs(rng, type, size):
                for start in initial(type):
                    expected = function(x, start, -1)
                    with warnings.catch_warnings():
                        warnings.simplefilter("error")
                        equal(expected, compiled(x, start, -1))
                    if size < 20:
                        equal(expected, run(traced(function, *map(argument_type, (x, start, -1))), x, start, -1))


@pytest.mark.parametrize("function", [first, odd, last, minfirst, two_last], ids=lambda f: f.__name__)
def test_in_parallel(function) -> None:
    """Long enough for several threads, and for ties between them."""
    compiled = mdh.jit(tune="off")(function)
    for x in inputs(np.random.default_rng(4), "f4", 70_003):
        equal(function(x, 0.0, -1), compiled(x, 0.0, -1))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_operators_commute(function) -> None:
    arguments = tuple(map(argument_type, (np.ones(3, np.float32), np.float32(0), -1)))
    for expression in expressions(trace(capture(function), arguments).steps):
        for combine in expression.md_hom.combine:
            assert not isinstance(combine, Concatenation) and combine.operator.commutative
