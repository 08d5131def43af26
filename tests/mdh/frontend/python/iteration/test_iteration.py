"""Loops over arrays, tuples, `enumerate`, `zip`, `reversed`, `np.ndindex` mean what Python makes of them."""

from __future__ import annotations

import copy

import numba
import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Sequential, expressions
from tests.laws.agreement import traced


def elements(x, y):
    for v in x:
        y[0] += v


def rows(M, x, y):
    for i, row in enumerate(M):
        total = 0.0
        for v in row:
            total += v
        y[i] = total


def columns(M, x, y):
    for column in M.T:
        for i, v in enumerate(column, 0):
            y[i] += v


def counted_from(x, y):
    for i, v in enumerate(x, start=3):
        y[i - 3] = v * i


def side_by_side(x, y):
    for a, (i, b) in zip(x[1:], enumerate(y)):
        y[i] = a - b


def three_sides(x, y):
    for i, j, a in zip(range(0, len(x), 2), range(len(x) - 1, -1, -3), x):
        y[i] = a - x[j]


def backwards(x, y):
    for i in reversed(range(len(x) - 1)):
        y[i] = y[i + 1] + x[i]


def last_of_reversed(x, y):
    for i, v in enumerate(reversed(x)):
        y[i] = v


def numbas_range(x, y):
    for i in numba.prange(len(x)):
        y[i] = x[i] + 1


def own_range(x, y):
    for i in mdh.prange(1, len(x)):
        y[i] = x[i - 1]


def unrolled(x, y):
    for i in range(1, len(x) - 1):
        total = 0.0
        for d in (-1, 0, 1):
            if d == 0:
                continue
            total += x[i + d]
        y[i] = total


def unrolled_pairs(x, y):
    for k, (weight, d) in enumerate(((0.5, 1), (0.25, 2))):
        for i in range(len(x) - 2):
            y[i] += weight * x[i + d] + k


def several_arrays(x, y):
    for a in (x, y):
        for i in range(len(a)):
            a[i] += 1


def all_indices(M, x, y):
    for i, j in np.ndindex(M.shape):
        M[i, j] += i - j


def one_index(M, x, y):
    for at in np.ndindex(M.shape[0], M.shape[1]):
        M[at] *= 2


def all_elements(M, x, y):
    for (i, j), v in np.ndenumerate(M):
        M[i, j] = v * j


def all_indices_of_searches(M, x, y):
    """The loop over one index is made from the place of that over all: each has its own way to be left."""
    for i, _j in np.ndindex(M.shape):
        while y[i] < 1:
            y[(i + 1) % len(x)] += 0.5
            y[i] += 0.5


def rebound(x, y):
    for v in x:
        x, y = y, x
        y[0] += v


def skipping(M, x, y):
    for row in M:
        for v in row:
            if v < 0.5:
                continue
            y[0] += v


def unnamed(x, y):
    for _ in range(2):
        for _ in range(3):
            for i in range(1, len(x)):
                y[i] = 0.5 * y[i - 1] + x[i] + y[i]


PROGRAMS = [
    elements, rows, columns, counted_from, side_by_side, three_sides, backwards, last_of_reversed, numbas_range,
    own_range, unrolled, unrolled_pairs, several_arrays, unnamed, all_indices, one_index, all_elements,
    all_indices_of_searches, rebound, skipping,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_same_as_python(function) -> None:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    decorated = mdh.jit(function, tune="off", cache=False)
    for rows, columns in ((5, 7), (1, 1), (0, 3), (8, 8)):
        rng = np.random.default_rng(rows)
        given = [rng.random((rows, columns)) if name == "M" else rng.random(9) for name in names]
        expected = copy.deepcopy(given)
        returned = function(*expected)
        found = decorated(*given)
        np.testing.assert_equal(returned, found)
        for a, b in zip(expected, given):
            np.testing.assert_allclose(a, b, rtol=1e-14)


def test_rows_are_independent() -> None:
    program = traced(rows, (np.zeros((3, 4)), np.zeros(3), np.zeros(3)))
    assert not any(isinstance(step, Sequential) for step in program.steps)
    assert [str(c) for e in expressions(program.steps) for c in e.md_hom.combine] == ["++", "•(add)"]


def test_a_directive_names_the_first_variable() -> None:
    def level(x):
        s = 0.0
        for v in x:
            s = 0.75 * s + 0.25 * v
        return s

    x = np.random.default_rng(0).random(20)
    assert mdh.jit(level, combine={"v": mdh.sequential}, cache=False)(x) == level(x)
