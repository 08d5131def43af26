"""Floats to integers, and zeros of both signs: every special value in every lane, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import assert_agree, legal, model, native, outcome, run_low, traced, unit_axes
from tests.laws.examples import examples
from tests.laws.test_programs import random_configuration
from tests.mdh.codegen.native import host
from tests.mdh.codegen.on_opencl import OnOpenCl

SPECIAL = [0.0, -0.0, -0.5, -1.5, 1.5, -300.0, 255.5, 65536.5, 3e9, 1e10, 2.0**62, 2.0**63, 1.5e19, 1e30, -1e30,
           np.nan, np.inf, -np.inf]  # fmt: skip
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]


def stored(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i]


def sign(y, x):
    for i in range(x.shape[0]):
        y[i] = np.sign(x[i])


def greater(y, x, z):
    for i in range(x.shape[0]):
        y[i] = max(x[i], z[i]) - min(z[i], x[i])


def greatest_of_both(y, x, z):
    for i in range(x.shape[0]):
        y[i] = np.maximum(x[i], z[i])


def least_without_nan(y, x, z):
    for i in range(x.shape[0]):
        y[i] = np.fmin(x[i], z[i])


def ends(to: str) -> tuple[float, float]:
    """Between which a float has one right result: for unsigned integers NumPy's C code goes by way of signed ones."""
    bits = np.iinfo(to).bits
    if to.startswith("int"):
        return -(2.0 ** (bits - 1)) - (1.0 if bits < 64 else 0.0), 2.0 ** (bits - 1)
    return -(2.0 ** (max(bits, 32) - 1)), 2.0 ** (bits if bits > 16 else 31)


def every_way(data: st.DataObject, function: Callable[..., Any], arguments: Callable[[], Any]) -> list[Any]:
    """What the interpreters and compiled code give."""
    program = traced(function, arguments())
    axes = unit_axes(program, [arguments()])
    drawn = legal(axes, random_configuration(data))
    choosers = [model(program, arguments(), axes), lambda *_: Configuration(), drawn]
    ways = [lambda *a: interp.run(program, *a), lambda *a: run_low(program, drawn, host(), *a)]
    ways += [native(program, chooser, axes) for chooser in choosers]
    return [*ways, native(program, choosers[0], axes, "avx2"), mdh.jit(cache=False)(function)]


@pytest.mark.parametrize("to", UNSIGNED)
@pytest.mark.parametrize("of", FLOATS)
@given(data=st.data(), values=st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=40))
@examples(2)
def test_unsigned_integers_take_floats_as_numpy_does(
    of: str, to: str, data: st.DataObject, values: list[float]
) -> None:
    """Negative numbers wrap around. Numbers too large for it have no result: NumPy's depends on its vectors."""
    with np.errstate(all="ignore"):
        x = np.array(values).astype(of)
    low, high = ends(to)
    x = x[(x.astype(float) > low) & (x.astype(float) < high)]
    expected = outcome(stored, (np.zeros(len(x), to), x))
    for way in every_way(data, stored, lambda: (np.zeros(len(x), to), x)):
        assert_agree(expected, outcome(way, (np.zeros(len(x), to), x)), to, "bits")


@pytest.mark.in_turns(6)
@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("to", [*UNSIGNED, "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("of", FLOATS)
def test_devices_take_floats_as_numpy_does(of: str, to: str) -> None:
    """As processors do, one by one and in vectors: C leaves negative numbers undefined for unsigned integers."""
    with np.errstate(all="ignore"):
        x = np.array([*SPECIAL, -3.7, -100.0, -128.0, -40000.0, -3e9, -(2.0**62)] * 3).astype(of)
    low, high = ends(to)
    x = x[(x.astype(float) > low) & (x.astype(float) < high)]
    program = traced(stored, (np.zeros(len(x), to), x))
    axes = unit_axes(program, [(np.zeros(len(x), to), x)])
    vectors = OnOpenCl(program, model(program, (np.zeros(len(x), to), x), axes), axes, 128)
    for way in (mdh.jit(target="opencl", cache=False)(stored), vectors):
        for size in (1, len(x)):
            expected = outcome(stored, (np.zeros(size, to), x[:size]))
            assert_agree(expected, outcome(way, (np.zeros(size, to), x[:size])), to, "bits")
            expected = outcome(stored, (np.zeros(size, to), x[::-1][:size]))
            assert_agree(expected, outcome(way, (np.zeros(size, to), x[::-1][:size].copy())), to, "bits")


@pytest.mark.parametrize("of", FLOATS)
@given(data=st.data(), values=st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=40))
@examples(2)
def test_signs_of_zeros(of: str, data: st.DataObject, values: list[float]) -> None:
    """`np.sign` of either zero is 0.0; Python's `max` and `min` of two equal numbers are the first."""
    with np.errstate(all="ignore"):
        x = np.array(values).astype(of)
    z = x[::-1].copy()
    for function, inputs in ((sign, (x,)), (greater, (x, z)), (greater, (x, -x))):
        expected = outcome(function, (np.ones(len(x), of), *inputs))
        for way in every_way(data, function, lambda inputs=inputs: (np.ones(len(x), of), *inputs)):
            found = outcome(way, (np.ones(len(x), of), *inputs))
            assert_agree(expected, found, function.__name__, "bits")


@pytest.mark.parametrize("function", [greatest_of_both, least_without_nan], ids=lambda f: f.__name__)
@given(data=st.data(), size=st.integers(1, 40))
@examples(2)
def test_numpys_extremes_of_two_zeros_are_one_of_them(
    function: Callable[..., Any], data: st.DataObject, size: int
) -> None:
    """A difference that docs/numerics.md names: NumPy's own result depends on the length of the array."""
    x = np.where(np.arange(size) % 2 == 0, 0.0, -0.0)
    for way in every_way(data, function, lambda: (np.ones(size), x, -x)):
        y = np.ones(size)
        way(y, x, -x)
        assert (y == 0).all()
        way(y, x, x)
        assert (np.signbit(y) == np.signbit(x)).all()
