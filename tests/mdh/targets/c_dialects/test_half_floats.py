"""float16 and bfloat16 on OpenCL devices: conversions bit for bit NumPy's, arithmetic rounded as on the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import ScalarType, bfloat16, float16, float32, float64
from tests.laws.agreement import model, traced, unit_axes
from tests.mdh.codegen.on_opencl import OnOpenCl
from tests.mdh.targets.llvm.types.test_half_floats import all_of, convert, floats, wholes

pytestmark = [pytest.mark.usefixtures("opencl"), pytest.mark.filterwarnings("error::jitmdh.base.errors.JitWarning")]
SHORT = pytest.mark.parametrize("short", [float16, bfloat16], ids=str)


@pytest.mark.in_turns(2)
@SHORT
def test_conversions(short: ScalarType) -> None:
    other = bfloat16 if short == float16 else float16
    there = [(all_of(short), type) for type in (float32, float64, other)]
    back = [(floats("f4"), short), (floats("f8"), short), (wholes(), short)]
    for source, type in there + back:
        result = np.zeros(len(source), type.numpy)
        program = traced(convert, (result, source))
        axes = unit_axes(program, [(result, source)])
        OnOpenCl(program, model(program, (result, source), axes), axes)(result, source)
        with np.errstate(all="ignore"):
            found, wanted = (a.astype(np.float64) for a in (result, source.astype(type.numpy)))
        np.testing.assert_array_equal(found, wanted, err_msg=f"{source.dtype} -> {type}")
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(wanted[known]))


def arithmetic(y, x, z, a):
    for i in range(x.shape[0]):
        y[i] = max((x[i] + z[i]) * a - x[i] / z[i], x[i] // z[i]) if x[i] < z[i] else -abs(z[i]) % x[i]


def scaled_and_filtered(y, x, w):
    for i in range(y.shape[0]):
        for k in range(w.shape[0]):
            y[i] += x[2 * i + k] * w[k]


@pytest.mark.in_turns(2)
@SHORT
def test_arithmetic(short: ScalarType) -> None:
    """One operation after the other is rounded; neighbours, elements that lie apart, remainders, and scalars."""
    r = np.random.default_rng(0)
    for count in (1, 37, 1000):
        x, z = (r.normal(size=(2, count)) * 8 + 0.1).astype(short.numpy)
        found, wanted = np.zeros(count, short.numpy), np.zeros(count, short.numpy)
        a: Any = short.numpy.type(1.7)
        mdh.jit(arithmetic, target="opencl")(found, x[::1], z, a)
        mdh.jit(arithmetic)(wanted, x, z, a)
        np.testing.assert_array_equal(found, wanted)
    x, w = np.round(8 * r.normal(size=203)).astype(short.numpy)[::2], np.ones(3, short.numpy)
    found, wanted = np.zeros(49, short.numpy), np.zeros(49, short.numpy)
    mdh.jit(scaled_and_filtered, target="opencl")(found, x, w)
    mdh.jit(scaled_and_filtered)(wanted, x, w)
    np.testing.assert_array_equal(found, wanted)


def functions(y, x):
    for i in range(x.shape[0]):
        y[i] = np.exp(np.sqrt(np.abs(x[i])))


@SHORT
def test_functions(short: ScalarType) -> None:
    x = np.linspace(-20, 20, 101).astype(short.numpy)
    y = np.zeros(101, short.numpy)
    mdh.jit(functions, target="opencl")(y, x)
    root = np.sqrt(np.abs(x.astype(np.float64))).astype(short.numpy).astype(np.float64)
    digits = 2.0**-7 if short == bfloat16 else 2.0**-10
    np.testing.assert_allclose(y.astype(np.float64), np.exp(root), rtol=digits)
