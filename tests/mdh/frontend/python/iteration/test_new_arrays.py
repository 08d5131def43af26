"""Loops in which names get other arrays: what is returned behind them is the array that Python returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, NotAnMdhError


def passed_on(x, n):
    y = x + 1
    for _ in range(n):
        y, x = x, y + 1
    return y


def passed_on_while(x, n):
    y = x + 1
    k = 0
    while k < n:
        k += 1
        y, x = x, y
    return y


def own_ones(x, n):
    a, b = x.copy(), x + 1
    k = 0
    while k < n:
        k += 1
        a, b = b, a
    return a


def elements(x, n):
    y = x + 1
    for _ in range(n):
        y, x = x, y + 1
    return y.copy()


@pytest.mark.parametrize("function", [passed_on, passed_on_while])
def test_a_name_that_may_stand_for_an_argument_is_not_returned_as_a_copy(function: Any) -> None:
    x = np.arange(5.0)
    with pytest.raises(NotAnMdhError, match="one array or another"):
        mdh.jit(cache=False, fallback="error")(function)(x, 1)
    with pytest.warns(JitWarning, match="one array or another"):
        assert mdh.jit(cache=False, fallback="python")(function)(x, 1) is x


@pytest.mark.parametrize("function", [own_ones, elements])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_arrays_that_nobody_else_knows_are_passed_on(function: Any, n: int) -> None:
    x = np.arange(5.0)
    found = mdh.jit(cache=False, fallback="error")(function)(x, n)
    assert np.array_equal(found, function(x, n)) and not np.shares_memory(found, x)
