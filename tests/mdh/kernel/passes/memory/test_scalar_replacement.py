"""Elements that are known, before and after their names stand for them; loops in order ≡ Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32, int64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import For, If, Let, Load, Name, Statement, Store, Value
from jitmdh.mdh.kernel.passes.memory.scalar_replacement import replace_scalars
from tests.mdh.kernel.passes.examples import apply, body, kernel, real, text

I, N = Name("i", int64), real("n", int64)


def load(name: str, buffer: str, offset: Value) -> Let:
    return Let(real(name), Load(buffer, offset, float32))


def test_golden() -> None:
    before = kernel(
        load("a", "x", integer(0)),
        Store("y", integer(0), real("a")),
        If(compare("lt", N, integer(3)), (load("b", "x", integer(0)), Store("y", integer(1), real("b")))),
        load("c", "y", integer(0)),
        Store("y", integer(2), real("c")),
    )
    assert body(replace_scalars(before)) == text("""
        const float a = x[0];
        y[0] = a;
        if (n < 3) {
            const float b = a;
            y[1] = b;
        }
        const float c = y[0];
        y[2] = c;
    """)


def test_what_is_loaded_under_a_condition_is_chosen() -> None:
    few = compare("lt", N, integer(3))
    before = kernel(
        load("a", "x", integer(0)),
        Store("y", integer(0), real("a")),
        Let(real("b"), Load("y", integer(0), float32, mask=few)),
        Let(real("c"), Load("x", integer(1), float32, mask=few)),
        load("d", "x", integer(1)),
    )
    assert body(replace_scalars(before)) == text("""
        const float a = x[0];
        y[0] = a;
        const float b = ((n < 3) ? a : 0.0f);
        const float c = (n < 3 ? x[1] : 0);
        const float d = x[1];
    """)


def recurrence(*more: Statement) -> For:
    rounds = (
        load("a", "y", I),
        load("b", "y", add(I, integer(1))),
        Let(real("c"), apply("add", real("a"), real("b"))),
        *more,
        Store("y", add(I, integer(2)), real("c")),
    )
    return For(I, integer(4), N, integer(1), rounds)


def test_golden_of_a_loop() -> None:
    assert body(replace_scalars(kernel(recurrence()))) == text("""
        float carried.1 = (4 < n ? y[4] : 0);
        float carried.2 = (4 < n ? y[5] : 0);
        for (long i = 4; i < n; i += 1) {
            const float a = carried.1;
            const float b = carried.2;
            const float c = a + b;
            y[i + 2] = c;
            carried.1 = carried.2;
            carried.2 = c;
        }
    """)


@pytest.mark.parametrize("more", [
    Store("y", integer(3), real("c")),
    If(compare("lt", N, integer(3)), (Store("y", I, real("c")),)),
])  # fmt: skip
def test_a_loop_that_stores_elsewhere_too_stays(more: Statement) -> None:
    before = kernel(recurrence(more))
    assert replace_scalars(before) is before


def forwards(x: Any, y: Any, a: float) -> None:
    for i in range(2, len(x)):
        y[i] = a * x[i] + y[i - 1] - 0.25 * y[i - 2]


def backwards(x: Any, y: Any, a: float) -> None:
    for i in range(len(x) - 2, -1, -1):
        y[i] = a * x[i] + 0.5 * y[i + 1]


def every_other(x: Any, y: Any, a: float) -> None:
    for i in range(2, len(x), 2):
        y[i] = a * x[i] + 0.5 * y[i - 2]


def along_rows(x: Any, y: Any, a: float) -> None:
    for i in range(len(x)):
        for j in range(1, x.shape[1]):
            y[i, j] = a * x[i, j] + 0.5 * y[i, j - 1]


def in_place(x: Any, y: Any, a: float) -> None:
    for i in range(1, len(x)):
        y[i] = y[i] * a + 0.5 * y[i - 1] // (len(x) - 3)


@pytest.mark.parametrize("f", [forwards, backwards, every_other, along_rows, in_place])
@pytest.mark.parametrize("size", [0, 1, 2, 20, 305])
def test_loops_in_order_are_pythons(f: Any, size: int) -> None:
    x = np.random.default_rng(size).standard_normal(size)
    ours, pythons = x[::-1].copy(), x[::-1].copy()
    if f is along_rows:
        x, ours, pythons = (np.resize(array, (5, size)) for array in (x, ours, pythons))
    mdh.jit(f)(x, ours, 0.3)
    f(x, pythons, 0.3)
    np.testing.assert_allclose(ours, pythons, rtol=1e-12)
