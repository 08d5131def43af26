"""Tuples of constants of which data choose an element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh

STEPS = (1, -2, 300)


def floats(x, out):
    weights = (0.5, 1.5, 2.25)
    for i in range(x.shape[0]):
        out[i] = weights[x[i]]


def added(x, out):
    for i in range(x.shape[0]):
        out[i] += STEPS[x[i]]


def carried(x, out):
    k = 0
    i = 0
    while i < x.shape[0]:
        k = STEPS[(int(x[i]) + k) % 3]
        out[i] = k
        i += 1


def truths(x, out):
    i = 0
    while i < x.shape[0]:
        out[i] = (True, False, True)[x[i]]
        i += 1


def by_argument(x, out):
    for i in range(x.shape[0]):
        out[i] = STEPS[len(out) % 3] + STEPS[i % 3]


def same(function: Any, x: Any, out: Any) -> None:
    mine = out.copy()
    try:
        function(x, out)
    except (IndexError, OverflowError) as error:
        with pytest.raises(type(error)):
            mdh.jit(function)(x, mine)
        return
    mdh.jit(function)(x, mine)
    np.testing.assert_array_equal(mine, out)


@pytest.mark.parametrize("function", [floats, added, carried, truths, by_argument])
@pytest.mark.filterwarnings("error")
def test_elements(function: Any) -> None:
    x = np.array([0, 2, 1, 1, 2, 0, 2])
    same(function, x, np.zeros(7))
    same(function, x.astype(np.uint8), np.zeros(7, np.int64))
    same(function, x - 3, np.zeros(7, np.float32))


@pytest.mark.parametrize("function", [floats, added, truths])
@pytest.mark.parametrize("bad", [3, -4, 2**40])
def test_subscripts_that_are_none(function: Any, bad: int) -> None:
    same(function, np.array([0, 2, bad, 1]), np.zeros(4))


def test_python_numbers_stay_what_they_are() -> None:
    """300 is no int8, and an int8 stays one."""
    same(added, np.array([0, 1]), np.zeros(2, np.int8))
    same(added, np.array([0, 2]), np.zeros(2, np.int8))


def unrolled(x):
    total = 0.0
    for i in range(x.shape[0]):
        for d in range(3):
            total += x[i] * STEPS[d] + STEPS[(i + d) % 3]
    return total


def test_loops_of_constant_rounds_are_still_unrolled() -> None:
    x = np.arange(5.0)
    assert mdh.jit(unrolled)(x) == unrolled(x)


def of_several_types(x, out):
    for i in range(x.shape[0]):
        out[i] = (1, 2.5)[x[i]]


def test_elements_of_several_types_are_refused() -> None:
    with pytest.raises(mdh.errors.NotAnMdhError, match="a tuple needs a constant subscript"):
        mdh.jit(of_several_types)(np.array([0, 1]), np.zeros(2))
