"""Arrays read with steps: whole vectors and picked lanes are what Python reads, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.guard_pages import guarded

TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 float16 float32 float64 complex64 complex128".split()
LENGTHS = (101, 127, 64, 37, 6)


def copies(x):
    return x[::2] * 1, x[1::3] * 1, x[3::4] * 1, x[::-1] * 1, x[-2::-2] * 1, x[::-3] * 1, x[-1::-4] * 1


def sums(x):
    return x[::2].sum(), x[1::3].sum(), x[::4].sum(), x[::-1].sum(), x[-1::-2].sum(), x[::-3].sum(), x[::-4].sum()


def neighbours(y, x):
    for i in range(len(y)):
        y[i] = x[3 * i] + x[3 * i + 2] + x[3 * i + 1]


def turned(y, x):
    for i in range(len(y)):
        y[i] = x[len(x) - 1 - 2 * i] + x[len(x) - 2 - 2 * i]


def read(type: str, length: int, at_end: bool) -> Any:
    """An array between pages that cannot be touched; sums are exact."""
    return guarded(np.random.default_rng(length).integers(0, 4, length).astype(type), at_end)


def agree(function: Callable[..., Any], compiled: Callable[..., Any], *arguments: Any) -> None:
    expected, found = function(*arguments), compiled(*arguments)
    assert len(expected) == len(found)
    for n, (one, other) in enumerate(zip(expected, found)):
        np.testing.assert_array_equal(other, one, f"result {n} of {arguments}")
        assert np.asarray(other).dtype == np.asarray(one).dtype


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("type", TYPES)
def test_slices(type: str, checked: bool) -> None:
    with mdh.config(check_memory=checked):
        for function in (copies, sums):
            compiled = mdh.jit(tune="off", cache=False, fallback="error")(function)
            for length in LENGTHS:
                for at_end in (False, True):
                    agree(function, compiled, read(type, length, at_end))


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("type", [t for t in TYPES if t != "bool"])
def test_loops(type: str) -> None:
    for function, step in ((neighbours, 3), (turned, 2)):
        compiled = mdh.jit(tune="off", cache=False, fallback="error")(function)
        for length in LENGTHS:
            for at_end in (False, True):
                x = read(type, length * step, at_end)
                y, z = (np.zeros(length, type) for _ in range(2))
                function(y, x)
                compiled(z, x)
                np.testing.assert_array_equal(z, y)
