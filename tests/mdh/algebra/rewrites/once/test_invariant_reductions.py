"""Reductions that are the same for all points of a dimension are computed once; others are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type


def chain(out, a, b, c):
    for i in range(a.shape[0]):
        for l in range(c.shape[1]):
            total = 0.0
            for j in range(a.shape[1]):
                inner = 0.0
                for k in range(b.shape[1]):
                    inner += b[j, k] * c[k, l]
                total += a[i, j] * inner
            out[i, l] = total


def shares(out, a, b, c):
    """What is inside varies with no dimension at all."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total = 0.0
            for k in range(b.shape[0]):
                total += b[k, k]
            out[i, j] = a[i, j] / (1 + abs(total))


def shares_reduced(out, a, b, c):
    for i in range(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            inner = 0.0
            for k in range(b.shape[0]):
                inner += b[k, k]
            total += a[i, j] * inner
        out[i, 0] = total


def triangle(out, a, b, c):
    """The inner loop's length depends on i: only l has no say."""
    for i in range(a.shape[0]):
        for l in range(c.shape[1]):
            best = -np.inf
            for j in range(a.shape[1]):
                inner = 0.0
                for k in range(i + 1):
                    inner += b[j, k]
                best = max(best, inner * c[j, l])
            out[i, l] = best


def varying(out, a, b, c):
    for i in range(a.shape[0]):
        for l in range(c.shape[1]):
            total = 0.0
            for j in range(a.shape[1]):
                inner = 0.0
                for k in range(b.shape[1]):
                    inner += b[j, k] * c[k, l]
                total += inner * inner * (i + 1)
            out[i, l] = total


def with_index(out, a, b, c):
    """The index itself is a value."""
    for i in range(a.shape[0]):
        for l in range(c.shape[1]):
            best = -np.inf
            for j in range(a.shape[1]):
                inner = 0.0
                for k in range(b.shape[1]):
                    inner += b[j, k] * i + l
                best = max(best, inner)
            out[i, l] = best


def overwritten(out, a, b, c):
    """What the sum reads is changed from step to step."""
    for n in range(3):
        for i in range(a.shape[0]):
            for l in range(c.shape[1]):
                total = 0.0
                for j in range(a.shape[1]):
                    inner = 0.0
                    for k in range(b.shape[1]):
                        inner += b[j, k]
                    total += a[i, j] * inner
                out[i, l] += total
        for j in range(b.shape[0]):
            for k in range(b.shape[1]):
                b[j, k] = b[j, k] + n


def shifted(out, a, b, c):
    """An axis that is no plain dimension stays, and so does the dimension."""
    t = np.empty((b.shape[0], c.shape[1] + 1))
    for j in range(b.shape[0]):
        for l in range(c.shape[1]):
            inner = 0.0
            for k in range(b.shape[0]):
                inner += b[k, k]
            t[j, l + 1] = inner
    for i in range(out.shape[0]):
        for l in range(out.shape[1]):
            out[i, l] = a[i, l] * t[i, l + 1]


def along_the_diagonal(out, a, b, c):
    """Nor is a dimension plain that two axes have."""
    t = np.empty((b.shape[0], b.shape[0]))
    for j in range(b.shape[0]):
        inner = 0.0
        for k in range(b.shape[1]):
            inner += c[0, k]
        t[j, j] = inner
    for i in range(out.shape[0]):
        for l in range(out.shape[1]):
            out[i, l] = a[i, l] * t[i, i]


def on_the_way(out, a, b, c):
    """A loop that data end reads elements that no access names."""
    t = np.empty((b.shape[0], c.shape[1]))
    for j in range(b.shape[0]):
        for l in range(c.shape[1]):
            inner = 0.0
            for k in range(b.shape[1]):
                inner += b[j, k]
            t[j, l] = inner
    for i in range(out.shape[0]):
        l = 0
        while l < out.shape[1] and out[i, 0] < 100.0:
            out[i, 0] += abs(t[0, l]) + 1.0
            l += 1


def written_on_the_way(out, a, b, c):
    t = np.empty((out.shape[0], out.shape[1]))
    for i in range(out.shape[0]):
        for l in range(out.shape[1]):
            inner = 0.0
            for k in range(b.shape[1]):
                inner += b[0, k]
            t[i, l] = inner
    for i in range(out.shape[0]):
        l = 0
        while l < out.shape[1] and out[i, 0] < 100.0:
            out[i, 0] += a[i, l] * a[i, l] + 1.0
            t[i, l] = out[i, 0]
            l += 1
    for i in range(out.shape[0]):
        for l in range(out.shape[1]):
            out[i, l] = t[i, l]


def guarded(out, a, b, c):
    """A condition varies with what nothing that is read does."""
    for i in range(a.shape[0]):
        for l in range(c.shape[1]):
            total = 0.0
            for j in range(a.shape[1]):
                inner = 0.0
                for k in range(b.shape[1]):
                    if k < l:
                        inner += b[j, k]
                total += a[i, j] * inner
            out[i, l] = total


PROGRAMS = [
    chain,
    shares,
    shares_reduced,
    triangle,
    varying,
    with_index,
    overwritten,
    shifted,
    along_the_diagonal,
    guarded,
    on_the_way,
    written_on_the_way,
]


def data(n: int = 5) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(0)
    return [np.full((n, n), -1.0), *(random.integers(-9, 9, (n, n)).astype(float) for _ in range(3))]


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("n", [1, 5, 19])
def test_the_meaning_stays(function: Callable[..., Any], n: int) -> None:
    mine, theirs, compiled = data(n), data(n), data(n)
    with np.errstate(all="ignore"):
        function(*theirs)
    run(trace(capture(function), tuple(map(argument_type, mine))), *mine)
    mdh.jit(function)(*compiled)
    for found, expected in zip((*mine, *compiled), (*theirs, *theirs)):
        np.testing.assert_array_equal(found, expected)


def ranks(function: Callable[..., Any]) -> list[int]:
    """Of the arrays between the expressions."""
    program = trace(capture(function), tuple(map(argument_type, data())))
    return [len(a.shape) for a in program.allocations]


def test_an_axis_along_which_all_is_equal_is_gone() -> None:
    assert ranks(chain) == [2] and ranks(shares_reduced) == [0]


def test_points_are_counted_once() -> None:
    program = trace(capture(chain), tuple(map(argument_type, data())))
    assert [len(e.md_hom.dims) for e in expressions(program.steps)] == [3, 3]


def test_what_varies_with_all_dimensions_stays() -> None:
    assert ranks(with_index) == []


def test_no_iteration_around_what_is_computed_once() -> None:
    """b and c do not fit each other, and nobody would read them."""
    program = trace(capture(chain), tuple(map(argument_type, data())))
    empty = np.zeros((0, 5)), np.zeros((0, 5)), np.zeros((5, 7)), np.zeros((3, 5))
    with pytest.raises(FallbackSignal):
        run(program, *empty)
    with pytest.warns(mdh.errors.JitWarning):
        mdh.jit(chain)(*empty)
