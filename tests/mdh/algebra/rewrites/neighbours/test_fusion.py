"""Two expressions as one, and what must stay two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.rewrites.neighbours.fusion import fuse
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.algebra import examples as ex
from tests.mdh.frontend.test_programs import argument_type


def used_twice(x):
    best, total = -np.inf, 0.0
    for i in range(x.shape[0]):
        row = 0.0
        for j in range(x.shape[1]):
            row += x[i, j]
        best = max(best, row)
        total += row * row
    return best, total


def written_in_between(x, y):
    best = -np.inf
    for i in range(x.shape[0]):
        row = 0.0
        for j in range(x.shape[1]):
            row += x[i, j]
        y[i] = row
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = 0.0
    for i in range(x.shape[0]):
        best = max(best, y[i])
    return best


def other_element(x):
    rows = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        row = 0.0
        for j in range(x.shape[1]):
            row += x[i, j]
        rows[i] = row
    best = -np.inf
    for i in range(x.shape[0] - 1):
        best = max(best, rows[i + 1])
    return best


def each_against_each(x):
    best = -np.inf
    rows = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        row = 0.0
        for j in range(x.shape[1]):
            row += x[i, j]
        rows[i] = row
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            best = max(best, rows[i] - rows[j])
    return best


def one_after_the_other(x):
    rows = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        row = 0.0
        for j in range(x.shape[1]):
            row += x[i, j]
        rows[i] = row
    best = -np.inf
    for n in range(x.shape[0]):
        best = max(best, rows[n])
    return best


def triangle(x):
    best = -np.inf
    for i in range(x.shape[0]):
        row = 0.0
        for j in range(i + 1):
            row += x[i, j]
        best = max(best, row)
    return best


def conditional(x, n):
    best = -np.inf
    for i in range(x.shape[0]):
        row = 0.0
        for j in range(x.shape[1]):
            row += x[i, j]
        if i >= n:
            best = max(best, row)
    return best


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (one_after_the_other, 1), (triangle, 1), (conditional, 1), (used_twice, None), (written_in_between, None),
        (other_element, 2), (each_against_each, 2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(5, 7), (1, 3), (0, 3), (4, 4), (3, 0)])
def test_programs(function: Callable[..., Any], count: int | None, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-9, 9, shape).astype(float)
    if function is triangle and shape[1] < shape[0]:
        x = rng.integers(-9, 9, (shape[0], shape[0])).astype(float)
    extra = {"written_in_between": (np.zeros(shape[0]),), "conditional": (2,)}.get(function.__name__, ())
    program = trace(capture(function), tuple(map(argument_type, (x, *extra))))
    if count is not None:
        assert len(expressions(program.steps)) == count, program
        assert len(program.allocations) == len(program.returns or ()) + count - 1
    mine, theirs = x.copy(), x.copy()
    with np.errstate(all="ignore"):
        found, expected = run(program, mine, *extra), function(theirs, *extra)
    np.testing.assert_array_equal(np.array(found), np.array(expected))
    np.testing.assert_array_equal(mine, theirs)


def test_what_reduces_nothing_is_left_alone() -> None:
    assert fuse(ex.jacobi1d(), ex.matvec()) is None
    assert fuse(ex.matvec(), ex.jacobi1d()) is None
