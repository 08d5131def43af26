"""`while` and `for … break` around computations on arrays ≡ plain Python, however these are computed.

Such a loop is a sequential one whose computations are lowered like any others: with lanes, tiles, threads.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Expression, Sequential, Step
from jitmdh.mdh.algebra.semantics.interp import run
from tests.laws.agreement import threads, traced

Array = np.ndarray[Any, Any]


def conjugate_gradients(a: Array, b: Array, tolerance: float, most: int) -> Any:
    x, r = np.zeros(len(b)), b.copy()
    p, rs = r.copy(), r @ r
    for k in range(most):  # noqa: B007
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if np.sqrt(new) < tolerance:
            break
        p = r + (new / rs) * p
        rs = new
    return x, k, new


def power_iteration(a: Array, b: Array, tolerance: float, most: int) -> Any:
    v, value, old, rounds = b.copy(), 0.0, 1.0, 0
    while abs(value - old) > tolerance and rounds < most:
        old = value
        w = a @ v
        value = np.sqrt((w * w).sum())
        v = w / value
        rounds += 1
    else:
        rounds = -rounds
    return v, value, rounds


def relaxed(a: Array, b: Array, tolerance: float, most: int) -> Any:
    u, history = a.copy(), np.zeros(most)
    for k in range(most):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        change = np.abs(new - u).max()
        u = new
        history[k] = change
        if change < tolerance * 1e6:
            break
        if k % 3 == 0:
            continue
        u[0] += 1e-7
    else:
        history[0] = -1.0
    return u, history


def left_in_many_places(a: Array, b: Array, tolerance: float, most: int) -> Any:
    x, total, k = b.copy(), 0.0, 0
    while True:
        total += x.sum()
        if total > 1e3:
            total = -total
            break
        x = 0.9 * x
        if k > 7:
            x[:] = 7.0
            break
        k += 1
        for i in range(len(x)):
            x[i] += a[i, i]
        if k >= most:
            break
        x[k % len(x)] = k
    return x, total, k


def one_in_another(a: Array, b: Array, tolerance: float, most: int) -> Any:
    x, outer, all_inner = b.copy(), 0, 0
    while outer < 3:
        inner = 0
        y = x + outer
        while y.max() > 0.5:
            y = y * 0.5
            inner += 1
            if inner > most:
                break
        x += y
        all_inner += inner
        outer += 1
    return x, all_inner


def never_entered(a: Array, b: Array, tolerance: float, most: int) -> Any:
    x, k = b, 0
    while (x < -1.0).any():
        x = a @ x
        k += 1
    return x + 0.0, k


def ends_in_an_error(a: Array, b: Array, tolerance: float, most: int) -> Any:
    k = 0
    while b.sum() > tolerance:
        b *= 0.5
        b[0] += 1 // (5 - k)
        k += 1
    return k


def beyond_the_last(a: Array, b: Array, tolerance: float, most: int) -> Any:
    for k in range(10 * len(b)):
        b *= 0.5
        if b.max() < 0.25:
            break
        a[k, 0] = b.max()
    return b.sum()


PROGRAMS = (
    conjugate_gradients, power_iteration, relaxed, left_in_many_places, one_in_another, never_entered,
    ends_in_an_error, beyond_the_last,
)  # fmt: skip


def arguments(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return rng.random((n, n)) + n * np.eye(n), rng.random(n), 1e-9, 40


def called(f: Callable[..., Any], given: tuple[Any, ...]) -> tuple[list[Any], str]:
    """What a call returns and leaves in its arrays, and the error that it ends in."""
    given = copy.deepcopy(given)
    try:
        result, error = f(*given), ""
    except ArithmeticError as e:
        result, error = None, "division"
        assert "zero" in str(e) or "division" in str(e)
    parts = list(result) if isinstance(result, tuple) else [result]
    return [*(p for p in parts if p is not None), *given[:2]], error


def require_same(found: tuple[list[Any], str], expected: tuple[list[Any], str], what: str) -> None:
    assert found[1] == expected[1], what
    assert len(found[0]) == len(expected[0]), what
    for a, b in zip(found[0], expected[0]) if not expected[1] else ():
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=what)
        assert np.asarray(a).dtype == np.asarray(b).dtype, what


def loops(steps: tuple[Step, ...]) -> Iterator[Sequential]:
    for step in steps:
        if not isinstance(step, Expression):
            if isinstance(step, Sequential):
                yield step
            yield from loops(step.body)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_as_python(program: Callable[..., Any]) -> None:
    given = arguments(9)
    expected = called(program, given)
    algebra = traced(program, given)
    assert any(loop.until for loop in loops(algebra.steps)), "the loop is a procedure"
    if program is not beyond_the_last:  # which is left to plain Python
        require_same(called(lambda *a: run(algebra, *a), given), expected, "interpreter")
    for options in ({}, {"deterministic": True}, {"reassociate": False}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            require_same(called(mdh.jit(**options)(program), given), expected, str(options))


@pytest.mark.parametrize("program", [conjugate_gradients, relaxed])
def test_threads_and_configurations(program: Callable[..., Any]) -> None:
    """Computations large enough for several threads; then each by itself on one lane."""
    given = arguments(400)
    expected = called(program, given)
    compiled = mdh.jit(program, fallback="error")
    for count in (1, 2):
        with threads(count):
            require_same(called(compiled, given), expected, f"{count} threads")
    configuration = compiled.config(*copy.deepcopy(given))
    scalar = {
        name: own if name == "merged" else {**own, "part_size": {level: 1 for level in own["part_size"]}}
        for name, own in configuration.items()
    }
    assert "merged" in scalar, "a computation is a part of the one that uses it, and stays so"
    require_same(called(mdh.jit(program, fallback="error", schedule=scalar), given), expected, "one lane")
