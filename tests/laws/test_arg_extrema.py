"""Arg-extrema over ranges of all lengths: the place that NumPy or the loop tells, with equal scores and NaNs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

Array = np.ndarray[Any, Any]
TYPES = ("float64", "float32", "float16", "int32", "int64", "uint8", "bool")
VALUES = ("any", "few", "equal", "ascending", "descending", "not numbers", "no numbers", "infinite", "late")
LENGTHS = (1, 300, 2500, 40_000)


def values(kind: str, count: int, dtype: str, random: np.random.Generator) -> Array:
    float_ = np.dtype(dtype).kind == "f"
    if kind in ("ascending", "descending"):
        found = (
            np.arange(count) % 30_000 if dtype in ("int32", "int64", "float64", "float32") else np.arange(count) // 200
        )
        return (found if kind == "ascending" else found[::-1]).astype(dtype)
    found = random.integers(0, 2 if kind == "few" else 100, count).astype(dtype)
    if kind == "equal" or kind == "infinite":
        found[:] = -np.inf if float_ and random.random() < 0.5 else np.inf if float_ else 1
    elif kind == "late":
        found[-1], found[: count // 2] = 101 if dtype != "bool" else 1, 0
    elif float_ and kind == "not numbers":
        found[random.integers(0, count, 3)] = np.nan
    elif float_ and kind == "no numbers":
        found[:] = np.nan
    return found


def function(text: str) -> Callable[..., Any]:
    name = f"<{text}>"
    return function_in(text, name, {"np": np})


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("what", ["np.argmax(x)", "x.argmin()", "x.argmax(axis=0)", "np.argmin(x, axis=-1)"])
@pytest.mark.parametrize("dtype", TYPES)
def test_of_arrays(dtype: str, what: str) -> None:
    random = np.random.default_rng([TYPES.index(dtype), len(what)])
    plain = function(f"def f(x):\n    return {what}\n")
    fast = mdh.jit(tune="off", cache=False)(plain)
    for kind in VALUES:
        for length in LENGTHS:
            x = values(kind, length, dtype, random)
            rows = int(random.choice([1, 3, 13, 50]))
            shapes = [(length,), (rows, length // rows), (length // rows, rows)]
            for shape in [s for s in shapes if all(s)][: 1 if "axis" in what else 3]:
                y = x[: int(np.prod(shape))].reshape(shape)
                for z in (y, np.asfortranarray(y), y[::-1])[: 1 if length < 1000 else 3]:
                    found, expected = np.asarray(fast(z)), np.asarray(plain(z))
                    np.testing.assert_array_equal(found, expected, f"{kind} {shape}", strict=True)


LOOP = """def f(x, y, there):
    best, place, other = {start}, -1, 0
    for i in range(x.shape[0]):
        if {condition}:
            best, place, other = x[i], i, y[i]
    return best, place, other
"""


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("comparison", [">", "<", ">=", "<="])
@pytest.mark.parametrize("guard", ["", "there[i] and "])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_of_loops(dtype: str, guard: str, comparison: str) -> None:
    random = np.random.default_rng([TYPES.index(dtype), len(guard)])
    plain = function(LOOP.format(condition=f"{guard}x[i] {comparison} best", start="x[0]"))
    fast = mdh.jit(tune="off", cache=False)(plain)
    for kind in VALUES:
        for length in LENGTHS[:3]:
            x, y = values(kind, length, dtype, random), random.integers(0, 1000, length)
            there = random.random(length) < 0.5
            found, expected = ([repr(np.asarray(n).item()) for n in f(x, y, there)] for f in (fast, plain))
            assert found == expected, (kind, length)
