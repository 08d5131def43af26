"""Symmetric results are computed in one triangle; what only looks alike is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.algebra.rewrites.neighbours.symmetric_results import with_halves
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type


def gram(x):
    return x.T @ x


def scaled(x):
    return (x @ x.T) / x.shape[0] + 1


def distances(x):
    d = np.empty((x.shape[0], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                total += (x[i, k] - x[j, k]) ** 2 + abs(x[j, k] - x[i, k])
            d[i, j] = total
    return d


def in_batches(x):
    found = np.empty((2, x.shape[1], x.shape[1]), x.dtype)
    for b in range(2):
        for i in range(x.shape[1]):
            for j in range(x.shape[1]):
                total = 0.0
                for k in range(x.shape[0]):
                    total += (b + k) * (x[k, j] * x[k, i])
                found[b, i, j] = total
    return found


def antisymmetric(x):
    d = np.empty((x.shape[0], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                total += x[i, k] - x[j, k]
            d[i, j] = total
    return d


def shifted(x):
    return x[:, 1:].T @ x[:, :-1]


def of_two(x):
    return x @ (x + 1).T


def by_place(x):
    d = np.empty((x.shape[0], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                total += x[i, k] * x[j, k] * (i + 2 * j)
            d[i, j] = total
    return d


def element_wise(x):
    return x[:, :1] * x[:, 0]


def traced(function: Callable[..., Any], *arguments: Any) -> Program:
    return trace(capture(function), tuple(map(argument_type, arguments)))


@pytest.mark.parametrize("function", [gram, scaled, distances, in_batches])
def test_one_triangle(function: Callable[..., Any]) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (7, 5)).astype(np.float64)
    program = traced(function, x)
    halves = with_halves(program, lambda *_: True)
    check(halves)
    assert len(list(expressions(halves.steps))) == len(list(expressions(program.steps))) + 2
    assert np.array_equal(run(halves, x), function(x))
    assert with_halves(program, lambda *_: False) is program
    assert with_halves(halves, lambda *_: True) is halves


@pytest.mark.parametrize("function", [antisymmetric, shifted, of_two, by_place, element_wise])
def test_others(function: Callable[..., Any]) -> None:
    program = traced(function, np.ones((7, 5)))
    assert with_halves(program, lambda *_: True) is program


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("shape", [(130, 200), (301, 129), (4, 300), (500, 60)])
def test_compiled(shape: tuple[int, int]) -> None:
    """Large ones in halves, small ones as they are."""
    x = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)
    f = mdh.jit(cache=False)(gram)
    assert np.array_equal(f(x), x.T @ x)
    assert ("mirrored" in str(f.explain(x))) == (min(shape) >= 128)
    assert np.array_equal(f(x), f(x).T)


def test_schedules() -> None:
    """They are for the computations that they name, whatever the sizes."""
    large, small = (np.random.default_rng(0).integers(-9, 9, n).astype(np.float32) for n in ((130, 130), (9, 7)))
    halves = mdh.jit(cache=False)(gram).config(large)
    assert list(halves) == ["gram", "gram half", "gram mirrored"]
    for schedule in (halves, {"part_size": {"(L1,i)": 16}}, {"gram": {"part_size": {"(L1,i)": 16}}}):
        f = mdh.jit(schedule=schedule, cache=False)(gram)
        assert all(np.array_equal(f(x), x.T @ x) for x in (large, small))
