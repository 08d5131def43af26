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


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("type", TYPES)
def test_slices(type: str, checked: bool) -> None:
    with mdh.config(check_memory=checked):
        for function in (copies, sums):
            compiled = mdh.jit(tune="off", cache=False, fallback="error")(function)
            for length in LENGTHS:
                for at_end in (False, True):
                    agree(function, compiled, read(type, length, at_end))


@pytest.mark.in_turns(12)
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


def together(y, x):
    for i in range(len(y)):
        y[i] += x[i]
    return y.sum(), x.max()


def test_arguments_with_steps() -> None:
    """One function for arrays with all kinds of steps, in an order of chance: each call has the code for its own."""
    compiled = mdh.jit(tune="off", cache=False, fallback="error")(together)
    r = np.random.default_rng(5)
    steps = [-9, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 8]
    calls = [(steps[int(n)], int(length)) for n in r.permutation(2 * len(steps)) % len(steps) for length in (40, 3, 1)]
    for step, length in calls:
        whole = r.integers(0, 9, 9 * length).astype(np.float32)
        x = (whole[:: abs(step)] if step > 0 else whole[:: abs(step)][::-1])[:length]
        for target in (np.zeros(len(x), np.float32), np.zeros(2 * len(x), np.float32)[::-2]):
            expected = target.copy()
            assert compiled(target, x) == together(expected, x), f"steps of {step}"
            np.testing.assert_array_equal(target, expected, f"steps of {step}")


@pytest.mark.parametrize("channels", [2, 3, 4, 5])
@pytest.mark.parametrize("type", ["uint8", "float32"])
def test_channels(type: str, channels: int) -> None:
    """Of pictures, of parts of pictures with more channels, and of such that are turned."""

    def grey(y, x):
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                y[i, j] = x[i, j, 0] + 2 * x[i, j, channels - 1]

    compiled = mdh.jit(tune="off", cache=False, fallback="error")(grey)
    for more, back in ((0, 1), (1, 1), (0, -1), (2, 2)):
        x = read(type, 7 * 45 * (channels + more), True).reshape(7, 45, -1)[:, ::back, more:]
        y, z = np.zeros((7, x.shape[1]), type), np.zeros((7, x.shape[1]), type)
        grey(y, x)
        compiled(z, x)
        np.testing.assert_array_equal(z, y)
