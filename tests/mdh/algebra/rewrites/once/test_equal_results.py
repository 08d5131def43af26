"""Equal steps are one; what differs, or is changed in between, stays; reductions of one array read it once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.lowering.merges import with_reductions_merged
from tests.mdh.frontend.test_programs import argument_type


def scaled(x):
    return (x - x.min()) / (x.max() - x.min())


def normalised(x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


def sums_and_squares(x):
    return x.sum(axis=0) + (x * x).sum(axis=0)


def of_functions(x):
    a = np.exp(x.sum(axis=1))
    b = np.exp(x.sum(axis=1))
    return a * x.T + b


def written_in_between(x):
    before = x.min()
    x[0, 0] = -7.0
    return x.min() - before


def in_a_loop(x):
    total = 0.0
    for t in range(3):
        a = x.min()
        x[t, t] = a - 1.0
        b = x.min()
        total += b - a
    return total


def other_zeros(x):
    a = np.where(x > 9.0, x, 0.0).max(axis=1)
    b = np.where(x > 9.0, x, -0.0).max(axis=1)
    return np.copysign(1.0, a) + 2 * np.copysign(1.0, b)


def other_axes(x):
    return x.sum(axis=0)[:3] - x.sum(axis=1)[:3]


def other_rows(x):
    return x[1:].sum() - x[:-1].sum()


def of_several(x):
    return x.sum(), x.max(), (x * x).sum(), x.min(), x.sum(), np.abs(x).sum()


def places_and_maxima(x):
    return x.max(axis=1) + x.argmax(axis=1)


def products(x):
    return (x @ x.T + (x * 2.0) @ x.T).sum()


def returned_twice(x):
    return x.sum(axis=0), x.sum(axis=0)


def program_of(function: Callable[[Any], Any], x: Any) -> Program:
    return with_reductions_merged(trace(capture(function), (argument_type(x),)))


@pytest.mark.parametrize(
    "function, most",
    [
        (scaled, 2), (normalised, 5), (sums_and_squares, 2), (of_functions, 3), (written_in_between, 9), (in_a_loop, 9),
        (other_zeros, 9), (other_axes, 9), (other_rows, 9), (of_several, 9), (returned_twice, 9),
        (places_and_maxima, 9), (products, 9),
    ],
)  # fmt: skip
def test_the_same_with_fewer_steps(function: Callable[[Any], Any], most: int) -> None:
    x = np.random.default_rng(0).random((4, 5)) - 0.5
    program = program_of(function, x)
    assert len(expressions(program.steps)) <= most, program
    expected, own = function(x.copy()), x.copy()
    found = run(program, own)
    for one, other in zip(*((v if isinstance(v, tuple) else (v,)) for v in (found, expected)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    if function is written_in_between:
        assert own[0, 0] == -7.0


@pytest.mark.parametrize("function", [written_in_between, other_zeros, other_axes, other_rows, returned_twice])
def test_what_differs_is_computed_by_itself(function: Callable[[Any], Any]) -> None:
    program = program_of(function, np.zeros((4, 5)))
    assert sum(len(e.md_hom.function.results) for e in expressions(program.steps) if e.collapsed) == 2


@pytest.mark.parametrize("function", [places_and_maxima, products])
def test_what_is_tiled_in_its_own_way_stays_apart(function: Callable[[Any], Any]) -> None:
    program = program_of(function, np.zeros((4, 5)))
    assert sum(bool(e.collapsed) for e in expressions(program.steps)) > 1


def test_schedules_name_what_people_write() -> None:
    """Reductions are one where nobody schedules them; what `config` then says is a schedule for the same."""
    f = mdh.jit(sums_and_squares)
    x = np.random.default_rng(0).random((30, 20))
    chosen = f.config(x)
    (pair,) = chosen["merged"]
    assert set(s.build(f, x)) >= set(pair["fuse"])
    np.testing.assert_allclose(mdh.jit(schedule=chosen)(sums_and_squares)(x), sums_and_squares(x), rtol=1e-12)
    apart = mdh.jit(schedule={"merged": []})(sums_and_squares)
    np.testing.assert_allclose(apart(x), sums_and_squares(x), rtol=1e-12)
    assert "merged" not in apart.config(x)
