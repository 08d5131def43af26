"""Conversions of float16 and bfloat16, with and without the processor's help: bit for bit NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, bfloat16, float16, float32, float64
from tests.laws.agreement import model, native, traced, unit_axes

Array = np.ndarray[Any, Any]


def convert(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i]


def all_of(type: ScalarType) -> Array:
    return np.arange(65536, dtype=np.uint16).view(type.numpy)


def floats(dtype: str) -> Array:
    """All kinds of numbers, many of them half way between two short ones, or just beside."""
    random = np.random.default_rng(0)
    anything = random.integers(0, 2**32, 50_000, dtype=np.uint32).view(np.float32)
    anything = anything[~np.isnan(anything)].astype(np.float64)
    short = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    middle = (short[1:] + short[:-1]) / 2
    special = [65504, 65519.99, 65520, 65536, 1e-8, 0, -0.0, np.inf, -np.inf, np.nan, 2.0**-24, 2.0**-25, 1e300]
    with np.errstate(all="ignore"):
        found = np.concatenate([anything, middle, -middle * (1 + 1e-7), middle * (1 - 1e-15), special]).astype(dtype)
    if dtype != "f4":
        return found
    nans = np.array([0x7F800001, 0xFF800001, 0x7FFFFFFF, 0x7FC00000], np.uint32)  # the first bit and the last one
    return np.concatenate([found, nans.view(np.float32)])


def wholes() -> Array:
    random = np.random.default_rng(1)
    return random.integers(-(2**62), 2**62, 5000) >> random.integers(0, 62, 5000)


@pytest.mark.parametrize("features", ["host", "avx2", "128"])
@pytest.mark.parametrize("short", [float16, bfloat16], ids=str)
def test_conversions(short: ScalarType, features: str) -> None:
    other = bfloat16 if short == float16 else float16
    there: list[tuple[Array, ScalarType]] = [(all_of(short), type) for type in (float32, float64, other)]
    back = [(floats("f4"), short), (floats("f8"), short), (wholes(), short)]
    for source, type in there + back:
        result = np.zeros(len(source), type.numpy)
        program = traced(convert, (result, source))
        axes = unit_axes(program, [(result, source)])
        native(program, model(program, (result, source), axes), axes, features)(result, source)
        with np.errstate(all="ignore"):
            expected = source.astype(type.numpy)
            found, wanted = (a.astype(np.float64) for a in (result, expected))
        np.testing.assert_array_equal(found, wanted)
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(wanted[known]))


def signs_and_choices(y, x, z):
    for i in range(x.shape[0]):
        y[0, i] = -x[i]
        y[1, i] = abs(x[i])
        y[2, i] = np.minimum(x[i], z[i])
        y[3, i] = np.maximum(x[i], z[i])


@pytest.mark.parametrize("features", ["host", "128"])
def test_what_rounds_nothing(features: str) -> None:
    """Signs and choices, of all numbers, among them NaN, each beside any other, itself and its negative."""
    x = all_of(float16)
    others = np.random.default_rng(0).permutation(x), x, -x
    for z in others:
        result = np.zeros((4, len(x)), np.float16)
        program = traced(signs_and_choices, (result, x, z))
        axes = unit_axes(program, [(result, x, z)])
        native(program, model(program, (result, x, z), axes), axes, features)(result, x, z)
        with np.errstate(all="ignore"):
            wanted = np.stack([-x, np.abs(x), np.minimum(x, z), np.maximum(x, z)])
        np.testing.assert_array_equal(result, wanted)
        known = ~np.isnan(wanted)
        known[2:, x == 0] = False  # which of two zeros is the lesser one, NumPy does not say
        np.testing.assert_array_equal(np.signbit(result[known]), np.signbit(wanted[known]))
