"""Steps in time that become a loop at each point, and those that stay steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.expr import Expression, Sequential, expressions
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type


def oscillators(x, v, n):
    for _ in range(n):
        v += -0.5 * x
        x += 0.25 * v


def polynomial(x, c, n):
    for k in range(n):
        x[:] = x * 0.5 + c[n - 1 - k] + k


def by_loops(x, y, n):
    for _ in range(n):
        for i in range(x.shape[0]):
            y[i] = x[i] * 2.0
        for j in range(x.shape[0]):
            x[j] = y[j] + 1.0


def with_a_temporary(x, y, n):
    for _ in range(n):
        t = np.empty(x.shape[0])
        for i in range(x.shape[0]):
            t[i] = x[i] - y[i]
        for i in range(x.shape[0]):
            x[i] = t[i] * t[i]
    return x


def only_written(x, y, n):
    for k in range(n):
        x[:] = y * k


def neighbours(x, y, n):
    for _ in range(n):
        y[1:] = x[:-1] + y[1:]
        x[:] = y


def reduced(x, y, n):
    for _ in range(n):
        x[:] = x - y * x.sum()


def fewer_points(x, y, n):
    for _ in range(n):
        x[:] = x + y
        y[1:] = y[1:] * x[1:]


def triangle(x, y, n):
    for k in range(n):
        for i in range(k, x.shape[0]):
            x[i] = x[i] + y[i]


def rows_of_each_point(x, A, n):
    for k in range(n):
        x[:] = x * 0.5 + A[:, k]


def left_by_data(x, y, n):
    for _ in range(n):
        x[:] = x + y
        if x[0] > 3.0:
            break


@pytest.mark.parametrize(
    ("function", "is_one"),
    [
        (oscillators, True), (polynomial, True), (by_loops, True), (with_a_temporary, True), (only_written, True),
        (neighbours, False), (reduced, False), (fewer_points, False), (triangle, False), (rows_of_each_point, False),
        (left_by_data, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("n", [0, 1, 4])
def test_programs(function: Callable[..., Any], is_one: bool, n: int) -> None:
    arguments = [np.arange(5.0), np.arange(5.0) * 0.5, n]
    if function is rows_of_each_point:
        arguments[1] = np.arange(20.0).reshape(5, 4)
    program = trace(capture(function), tuple(map(argument_type, arguments)))
    assert any(isinstance(step, Sequential) for step in program.steps) is not is_one, program
    if is_one:
        assert all(isinstance(step, Expression) for step in program.steps)
        assert any(e.procedures for e in expressions(program.steps))
    mine, theirs = ([a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2))
    run(program, *mine)
    function(*theirs)
    for a, b in zip(mine, theirs):
        np.testing.assert_array_equal(a, b)


def test_arrays_between_the_steps_are_gone() -> None:
    """Nobody sees what a temporary held: it is a number of each point."""

    def steps(x, n):  # type: ignore[no-untyped-def]
        for _ in range(n):
            t = x * x
            x[:] = t + 1.0 / t

    (step,) = trace(capture(steps), (argument_type(np.zeros(3)), argument_type(2))).steps
    assert isinstance(step, Expression) and [b.name for b in step.buffers] == ["x"]


def test_an_array_that_is_only_written_is_not_read() -> None:
    (step,) = trace(
        capture(only_written), (argument_type(np.zeros(3)), argument_type(np.zeros(3)), argument_type(2))
    ).steps
    assert isinstance(step, Expression) and [a.buffer for a in step.inp_view] == ["y"]
