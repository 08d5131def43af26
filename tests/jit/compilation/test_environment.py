"""Changed globals, closures and callees are noticed, in fast calls too (fault catalogue 3, 4)."""

from __future__ import annotations

import linecache
import math
import sys
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.hca.drivers.cpu_watches import has_versions, layout
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.source.environment import ABSENT, Environment
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType

factor = 2.0
unused = 5.0


def helper(x):
    return x * factor


def caller(x):
    for i in range(x.shape[0]):
        x[i] = helper(x[i]) + math.pi + np.pi


def reads(function: Any) -> set[str]:
    """What tracing a function of one array of doubles reads."""
    environment = Environment(function)
    trace(capture(function), (ArrayType(float64, 1),), environment=environment)
    assert environment.holds() and environment.replay(r.path for r in environment.reads).digest == environment.digest
    return {read.text for read in environment.reads}


def test_what_is_read() -> None:
    assert reads(caller) == {
        "its code", "range", "helper", "the code of helper", "factor", "math", "math.pi", "np", "np.pi"
    }  # fmt: skip


def test_nothing_else_is_looked_at(value: Any) -> None:
    f = mdh.jit(cache=False)(scaled)
    f(value)
    globals()["unused"] = 7.0
    f(value)
    assert f.stats().slow_calls == 1


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


def test_another_function_in_place_of_the_decorated_one(value: Any) -> None:
    f = mdh.jit(cache=False)(scaled)
    f(value)
    f.py_func = through_helper
    globals()["factor"] = 5.0
    f(value)
    assert value.tolist() == [10.0] * 4


def test_defaults_of_the_function_itself() -> None:
    def shifted(x, by=1.0):
        for i in range(x.shape[0]):
            x[i] = x[i] + by

    f, x = mdh.jit(cache=False)(shifted), np.zeros(3)
    f(x)
    shifted.__defaults__ = (10.0,)
    f(x)
    assert x.tolist() == [11.0] * 3


class Settings:
    @property
    def computed(self) -> float:
        return 2.0

    def __getattr__(self, name: str) -> float:
        return 3.0

    def method(self) -> float:
        return 4.0


settings = Settings()


@pytest.mark.parametrize("name", ["computed", "anything", "method"])
def test_what_runs_code_when_it_is_read_is_refused(name: str) -> None:
    text = f"def f(x):\n    for i in range(x.shape[0]):\n        x[i] = settings.{name}\n"
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(True), f"<{name}>")
    space: dict[str, Any] = {"settings": settings}
    exec(compile(text, f"<{name}>", "exec"), space)
    with pytest.raises(NotAnMdhError, match=f"`settings.{name}` cannot be read"):
        mdh.jit(space["f"])(np.zeros(3))


def test_versions_of_dictionaries_and_places_of_fields() -> None:
    """What `cpu_call.ll` relies on; without versions each name is looked up."""
    assert has_versions() or sys.version_info >= (3, 13)
    assert layout([("function", through_helper, "__defaults__", None)], ABSENT)[1] in (2, 3)


def test_native_watches_hold_until_something_changes(value: Any) -> None:
    """Names come and go around those that are read: only these end fast calls."""
    f = mdh.jit(cache=False)(scaled)
    f(value)
    for n in range(50):
        globals()[f"other_{n}"] = n
        f(np.ones(4))
        del globals()[f"other_{n}"]
    assert f.stats().slow_calls == 1
    globals()["range"] = lambda n: iter([n - 1])
    try:
        with pytest.raises(NotAnMdhError):
            f(value)
    finally:
        del globals()["range"]
    f(value)
    assert value.tolist() == [4.0] * 4
