"""Steps in time that exchange arrays: Python ≡ the interpreter of the algebra ≡ compiled code."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type


def arguments_swapped(x, y, steps):
    for _ in range(steps):
        for i in range(1, x.shape[0] - 1):
            y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
        x, y = y, x


def result_returned(u, steps):
    a, b = u.copy(), u.copy()
    for t in range(steps):
        for i in range(1, a.shape[0] - 1):
            b[i] = (a[i - 1] + a[i + 1]) / 2 + t
        a, b = b, a
    return a


def by_a_third_name(u, steps):
    a = u.copy()
    b = u.copy()
    for t in range(1, steps, 2):
        b[1:-1] = a[:-2] + a[2:] - t
        c = a
        a = b
        b = c
    return a.sum(), b.copy()


def three_in_turn(x, y, z, steps):
    for t in range(steps):
        for i in range(x.shape[0]):
            x[i] += t
        x, y, z = y, z, x


def backwards(x, y, steps):
    for t in range(steps, 0, -1):
        for i in range(x.shape[0]):
            y[i] = x[i] + t
        y, x = x, y


def with_a_total(u, steps):
    a, b = u.copy(), u.copy()
    total = 0.0
    for _ in range(steps):
        for i in range(a.shape[0]):
            b[i] = a[i] * 0.5
            total += b[i]
        a, b = b, a
    return total, a + b


def as_often_as_known(x, y):
    for _ in range(5):
        for i in range(1, x.shape[0]):
            y[i] = x[i - 1] + x[i]
        x, y = y, x
    return x


FUNCTIONS = ((arguments_swapped, 2), (result_returned, 1), (by_a_third_name, 1), (three_in_turn, 3), (backwards, 2),
             (with_a_total, 1))  # fmt: skip


def same(expected, found):
    if isinstance(expected, tuple):
        for e, f in zip(expected, found, strict=True):
            same(e, f)
    elif expected is not None:
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12)


@pytest.mark.parametrize(("function", "arrays"), FUNCTIONS, ids=lambda v: getattr(v, "__name__", ""))
def test_same_as_python(function, arrays) -> None:
    rng = np.random.default_rng(4)
    compiled = mdh.jit(tune="off")(function)
    program = trace(capture(function), tuple(map(argument_type, (*(rng.random(2) for _ in range(arrays)), 2))))
    for n in (17, 2):
        for steps in (0, 1, 2, 3, 6, -2):
            given = (*(rng.random(n) for _ in range(arrays)), steps)
            by_python, by_interpreter, by_machine = (copy.deepcopy(given) for _ in range(3))
            expected = function(*by_python)
            same(expected, run(program, *by_interpreter))
            same(expected, compiled(*by_machine))
            same(by_python, by_interpreter)
            same(by_python, by_machine)


def test_a_known_number_of_steps_leaves_a_known_array() -> None:
    x, y = np.arange(9.0), np.ones(9)
    a, b = x.copy(), y.copy()
    assert mdh.jit(tune="off")(as_often_as_known)(a, b) is b
    as_often_as_known(x, y)
    same((x, y), (a, b))


def returns_an_argument(x, y, steps):
    for _ in range(steps):
        for i in range(x.shape[0]):
            y[i] = x[i] + 1
        x, y = y, x
    return x


def test_which_argument_is_returned_has_to_be_known() -> None:
    x = np.zeros(3)
    with pytest.raises(NotAnMdhError, match="`x` stands for one array or another, depending on the number"):
        mdh.jit(tune="off")(returns_an_argument).inspect(x, x.copy(), 3, stage="mdh")
