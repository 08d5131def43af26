"""Arguments whose values are part of the signature ≡ plain Python, for any order of calls and values."""

from __future__ import annotations

import enum
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import ConfigurationError, JitWarning
from tests.laws.examples import examples


class Mode(enum.Enum):
    SUM, LARGEST = 1, 2


class Level(enum.IntEnum):
    LOW, HIGH = 1, 2


@dataclass(frozen=True)
class Settings:
    factor: float
    mode: Mode
    bias: int | None = None


def scaled(v: Any, by: float = 2.0) -> Any:
    return v * by


def made(k: float) -> Callable[[Any], Any]:
    return lambda v: v + k


def branches(x: Any, choice: Any, k: Any) -> Any:
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[i] * k
    if choice is None:
        y += 1.0
    elif choice == "relu":
        y = np.maximum(y, 0.5)
    elif choice is Mode.SUM:
        y += np.sum(x)
    elif choice is Mode.LARGEST:
        y += np.max(x)
    else:
        y -= 1.0
    return y


def applied(x: Any, f: Any, shape: Any) -> Any:
    y = np.zeros(shape)
    for i in range(x.shape[0]):
        y[0, 0] += f(x[i])
    return y


def typed(x: Any, dtype: Any, settings: Any) -> Any:
    y = np.zeros(x.shape, dtype)
    for i in range(x.shape[0]):
        y[i] = x[i] * settings.factor
    if settings.mode is Mode.SUM:
        y += 1
    return y if settings.bias is None else y + settings.bias


CHOICES = (None, "relu", "re" + "lu"[:2], "tanh", Mode.SUM, Mode.LARGEST, True, False)
FACTORS = (0, 1, 1.0, True, -1, 1000, 1000.0, 2**40, 0.0, -0.0, math.nan, np.float32(1.5), Level.HIGH, Level.LOW)
FUNCTIONS = (
    scaled,
    np.sin,
    math.sqrt,
    made(1.0),
    made(2.0),
    partial(scaled),
    abs,
    mdh.jit(scaled),
    lambda v: v * v,
    lambda v: -v,
)
SHAPES = ((1, 2), (2, 3), (1, 1000))
DTYPES = (float, "float32", np.float32, np.dtype("f4"), np.int64)
SETTINGS = (Settings(1.0, Mode.SUM), Settings(1.5, Mode.SUM), Settings(1.0, Mode.LARGEST), Settings(1.0, Mode.SUM, 3),
            Settings(1.0, Mode.SUM))  # fmt: skip

POOLS = ((branches, (CHOICES, FACTORS)), (applied, (FUNCTIONS, SHAPES)), (typed, (DTYPES, SETTINGS)))


@pytest.mark.parametrize("number", range(len(POOLS)))
@given(data=st.data())
@examples(6)
def test_static_arguments_mean_what_they_mean_in_python(number: int, data: st.DataObject) -> None:
    function, pools = POOLS[number]
    compiled = mdh.jit(static="k" if function is branches else ())(function)
    x = np.array([0.5, 2.0, 1.25])
    seen = set()
    for _ in range(data.draw(st.integers(2, 6))):
        values = tuple(data.draw(st.sampled_from(pool)) for pool in pools)
        for _ in range(2):  # found in Python, then natively
            want, got = function(x, *values), compiled(x, *values)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
            np.testing.assert_allclose(got, want, rtol=1e-6)
        seen.add(repr(values))
    assert compiled.stats().fallbacks == 0
    assert compiled.stats().compiles + compiled.stats().cache_hits <= len(seen)


def test_native_calls_compare_static_arguments() -> None:
    compiled = mdh.jit(static="k")(branches)
    x = np.ones(3)
    for k in (1, 1.0, 1000, 1):
        compiled(x, "relu", k)
    slow = compiled.stats().slow_calls
    assert slow == 3
    assert compiled(x, "".join(["re", "lu"]), 1)[0] == 1.0  # equal, not identical
    assert compiled(x, "relu", int("1000"))[0] == 1000.0
    assert compiled.stats().slow_calls == slow


def test_a_function_that_is_an_argument_may_read_what_changes() -> None:
    class Box:
        k = 2.0

    def reads(v: Any) -> Any:
        return v * Box.k

    compiled, x = mdh.jit(applied), np.ones(3)
    assert compiled(x, reads, (1, 1))[0, 0] == 6.0
    Box.k = 5.0
    assert compiled(x, reads, (1, 1))[0, 0] == 15.0


def test_values_of_static_arguments_that_have_code_are_bounded() -> None:
    compiled = mdh.jit(
        branches,
    )
    x = np.ones(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(70):
            assert compiled(x, f"label {n}", 2.0)[0] == 1.0
    assert [w.category for w in caught] == [JitWarning]
    assert "compiled for 64 values of its static arguments, and for no more" in str(caught[0].message)
    assert compiled.stats().compiles + compiled.stats().cache_hits == 64


def test_static_names_arguments() -> None:
    with pytest.raises(ConfigurationError, match="static names `kk`, no argument of `branches`"):
        mdh.jit(static=("kk",))(branches)
    with pytest.raises(ConfigurationError, match="static=3 names no arguments"):
        mdh.jit(static=3)  # type: ignore[call-overload]
