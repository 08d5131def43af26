"""Programs that random ones were shrunk to: each was wrong once. They run like the random ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import assert_agree, legal, model, native, outcome, threads, traced, unit_axes
from tests.laws.examples import examples
from tests.laws.test_programs import random_configuration


def reads_under_opposite_conditions(y, x):
    """The two reads of `x` are one place under two guards; one took the other's zeros."""
    for i in range(2, x.shape[0], 3):
        y[i] += x[i] if i < x.shape[0] - 2 else 2 * x[i]


def one_point_of_a_loop_writes(y, x):
    """A store that no lane moves, under a guard that one lane holds."""
    for i in range(y.shape[0]):
        for j in range(x.shape[0]):
            if j == 1:
                y[i] = x[j] + i


def the_diagonal_writes(y, x):
    for i in range(y.shape[0]):
        for j in range(x.shape[0]):
            if i + j == 7:
                y[i] = x[j] + y[i] * i


def never_executed(y, x):
    for i in range(y.shape[0]):
        for j in range(0, x.shape[0], 2):
            for k in range(1, 5):
                if i == k:
                    y[i] += x[j]
                elif j < x.shape[0]:
                    y[i] += k
                else:
                    y[i] += x[j] - x[j]


def several_results_of_one_sum(y, x):
    """Bindings called t_1 and the second name made from t were the same name."""
    for i in range(y.shape[0]):
        acc = 0.0
        for j in range(1, x.shape[0]):
            for k in range(j):
                acc -= min(k, x[j] + x[j])
        y[i] = acc
        if y[i] == 2:
            y[i] += x[0]
        elif y[i] < 3:
            y[i] += (acc + 0.5) * acc
        else:
            y[i] += 0.5 - i


def tiles_inside_tasks(y, x):
    """The same statements stand in full tiles and in remainders; names of one were taken for those of the other."""
    for i in range(y.shape[0] - 1, -1, -1):
        for j in range(x.shape[0] + 1, 1, -3):
            acc = 0.0
            for k in range(x.shape[0]):
                for _l in range(x.shape[0]):
                    acc = acc - (x[k] - 2 * x[j - 3])
            y[i] = acc


def a_loop_never_entered(y, x):
    """Everything is independent where there are no iterations."""
    for i in range(y.shape[0]):
        for j in range(0):
            acc = 9.0
            for k in range(x.shape[0]):
                for l in range(k):
                    acc = min(acc, 2 if x[1] == 3 else x[k - l])
            y[i + j] = acc
        for j in range(5, 5, -1):
            y[j] = 3.0


def sums_over_several_sets_of_points(y, x):
    """What an iteration leaves in several cells was one statement, and all of its sums were over the points of one."""
    n, c = 0.0, 0.5
    a = b = 1.0
    for i in range(x.shape[0]):
        n += c
        if i > 1:
            b += c
        for _j in range(2):
            a += c - 1.0
        c = c
    for i in range(y.shape[0]):
        y[i] = n + 10 * a + 100 * b + c


FOUND: list[Callable[..., Any]] = [
    reads_under_opposite_conditions,
    one_point_of_a_loop_writes,
    the_diagonal_writes,
    never_executed,
    several_results_of_one_sum,
    tiles_inside_tasks,
    a_loop_never_entered,
    sums_over_several_sets_of_points,
]


def arguments(n: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n + m)
    return rng.integers(-4, 5, n).astype("f8"), rng.integers(-4, 5, max(m, 2)).astype("f8")


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("function", FOUND, ids=lambda f: f.__name__)
@given(data=st.data())
@examples(4)
def test_found(function: Callable[..., Any], data: st.DataObject) -> None:
    sizes = [(13, 13), (7, 3), (1, 5), (0, 2)]
    program = traced(function, arguments(*sizes[0]))
    axes = unit_axes(program, [arguments(*s) for s in sizes])
    chosen = model(program, arguments(*sizes[0]), axes), (lambda *_: Configuration()), random_configuration(data)
    codes = [native(program, legal(axes, c), axes) for c in chosen]
    decorated = mdh.jit(cache=False)(function)
    for size in sizes:
        expected = outcome(function, arguments(*size))
        for code in (*codes, decorated):
            for count in (1, 2):
                with threads(count):
                    assert_agree(expected, outcome(code, arguments(*size)), f"{size}", "numbers")
