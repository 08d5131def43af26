"""Changed globals, closures and callees are noticed, in fast calls too (fault catalogue 3, 4)."""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.environment import watches

factor = 2.0
unused = 5.0
module = types.ModuleType("some_module")
module.constant = 3.0  # type: ignore[attr-defined]


def helper(x):
    return x * factor


def caller(x):
    for i in range(x.shape[0]):
        x[i] = helper(x[i]) + math.pi + np.pi


def closure(offset):
    def inner(x):
        return x + offset + module.constant

    return inner


def names(function: Any) -> set[str | None]:
    return {w.name for w in watches(function)}


def test_what_is_watched() -> None:
    assert names(helper) == {"factor"}
    assert names(caller) == {"helper", "factor"}
    assert names(closure(1.0)) == {None, "constant"}
    assert names(lambda x: x + 1) == set()
    assert all(w.holds() for w in watches(caller))


def test_recursive_functions_end() -> None:
    def f(x):
        return f(x - 1)

    assert len(watches(f)) == 1


def scaled(x):
    for i in range(x.shape[0]):
        x[i] = x[i] * factor


@pytest.fixture
def value() -> Any:
    yield np.ones(4)
    globals()["factor"] = 2.0


def test_a_changed_global(value: Any) -> None:
    f = mdh.jit(cache=False)(scaled)
    f(value)
    f(value)
    assert value.tolist() == [4.0] * 4
    globals()["factor"] = 10.0
    f(value)
    assert value.tolist() == [40.0] * 4
    f(value)
    assert value.tolist() == [400.0] * 4
    assert f.stats().compiles == 2 and f.stats().slow_calls == 2
    globals()["unused"] = 6.0
    f(value)
    assert f.stats().slow_calls == 2


def through_helper(x):
    for i in range(x.shape[0]):
        x[i] = helper(x[i])


def test_a_changed_callee(value: Any) -> None:
    f = mdh.jit(cache=False)(through_helper)
    f(value)
    globals()["factor"] = 3.0
    f(value)
    assert value.tolist() == [6.0] * 4
    original = helper
    try:
        globals()["helper"] = lambda x: x - 1.0
        f(value)
        assert value.tolist() == [5.0] * 4
    finally:
        globals()["helper"] = original


def test_a_changed_closure() -> None:
    offset = 1.0

    @mdh.jit(cache=False)
    def add(x):
        for i in range(x.shape[0]):
            x[i] = x[i] + offset

    x = np.zeros(3)
    add(x)
    add(x)
    offset = 10.0
    add(x)
    assert x.tolist() == [12.0] * 3


def test_an_equal_object_compiles_nothing(value: Any) -> None:
    f = mdh.jit(cache=False)(scaled)
    f(value)
    globals()["factor"] = float("2")
    f(value)
    f(value)
    assert f.stats().compiles == 1 and f.stats().slow_calls == 2
