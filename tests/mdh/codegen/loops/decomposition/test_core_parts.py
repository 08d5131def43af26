"""How many threads computations get that take turns in a loop."""

from __future__ import annotations

import math

import numpy as np

from jitmdh.mdh.algebra.expr import Sequential, expressions
from jitmdh.mdh.codegen.loops.decomposition.core_parts import work_in_turns, work_per_point
from tests.laws.agreement import traced


def heat(u, steps):
    for _ in range(steps):
        v = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1])


def waves(x, A, steps):
    for k in range(steps):
        for i in range(x.shape[0]):
            x[i] = np.sin(x[i]) * A[i, k]


def work(function, *arguments) -> tuple[list[int], list[int]]:
    """Of each computation of the loop: alone, and beside the others."""
    (loop,) = (step for step in traced(function, arguments).steps if isinstance(step, Sequential))
    found = work_in_turns(loop.body)
    inside = expressions(loop.body)
    return [work_per_point(step) for step in inside], [found[id(step)] for step in inside]


def test_what_hands_on_arrays_counts_as_the_heaviest() -> None:
    alone, beside = work(heat, np.zeros((9, 9)), 3)
    copy, stencil = alone
    assert copy < stencil
    assert beside == [stencil, stencil]


def test_long_operations_count() -> None:
    (alone,), (beside,) = work(waves, np.zeros(9), np.zeros((9, 3)), 3)
    assert beside > alone + 10


def decayed(y, x, rate, n):
    for _ in range(n):
        for i in range(len(y) - 1):
            x[i] = math.exp(-rate) * y[i + 1]
        for i in range(len(y)):
            y[i] = x[i]


def test_what_is_computed_before_the_loops_does_not_count() -> None:
    (alone, _), (beside, _) = work(decayed, np.zeros(9), np.zeros(9), 0.5, 3)
    assert beside == alone


def discounted(v, steps, rate):
    up = math.exp(rate / steps)
    down = 1.0 / up
    chance = (math.exp(rate) - down) / (up - down)
    for j in range(steps):
        for i in range(len(v) - j - 1):
            v[i] = math.exp(-rate) * (chance * v[i] + (1.0 - chance) * v[i + 1])


def mixed(v, steps, chance):
    for j in range(steps):
        for i in range(len(v) - j - 1):
            v[i] = chance * v[i] + (1.0 - chance) * v[i + 1]


def test_names_of_what_is_computed_before_the_loops_do_not_count() -> None:
    long, short = (work(f, np.ones(9), 3, 0.1)[1] for f in (discounted, mixed))
    assert max(long) <= max(short) + 3  # no more than the arguments
