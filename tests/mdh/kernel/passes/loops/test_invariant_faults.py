"""Faults of a loop's invariants, before and after they are looked at once; errors ≡ Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.ir import Fail, For, If, Let, Literal, Load, Name, Statement, Store
from jitmdh.mdh.kernel.passes.loops.invariant_faults import hoist_faults
from tests.mdh.kernel.passes.examples import apply, body, kernel, real, text

I, N = Name("i", int64), real("n", int64)
ZERO = compare("eq", real("h"), Literal(0.0, float32))
BAD, OTHER = Status.FIRST_FAULT, Status.FIRST_FAULT + 1


def loop(*inside: Statement) -> For:
    return For(I, integer(0), N, integer(1), inside)


def test_golden() -> None:
    before = loop(
        Let(real("fault", bool_), ZERO),
        Store("y", I, apply("truediv", real("a"), real("h"))),
        Fail(real("fault", bool_), BAD),
        If(real("other", bool_), (Fail(compare("lt", real("h"), real("a")), OTHER),), rare=True),
    )
    assert body(hoist_faults(kernel(before))) == text("""
        if (0 < n) {
            if (any(h == 0.0f)) status = 16777216;
            if (other) {
                if (any(h < a)) status = 16777217;
            }
        }
        for (long i = 0; i < n; i += 1) {
            y[i] = a / h;
        }
    """)


@pytest.mark.parametrize("inside", [
    (Let(real("a"), Load("x", I, float32)), Fail(compare("lt", real("a"), real("h")), BAD)),
    (Fail(ZERO, BAD, leaves=True),),
    (Let(real("a"), Load("x", integer(0), float32)), Fail(compare("lt", real("a"), real("h")), BAD)),
    (Fail(compare("lt", I, integer(3)), BAD), Fail(ZERO, OTHER)),
])  # fmt: skip
def test_what_may_change_and_what_is_behind_it_stays(inside: tuple[Statement, ...]) -> None:
    before = kernel(loop(*inside))
    assert hoist_faults(before) is before


def quotients(x: Any, y: Any, h: float, g: float) -> None:
    for i in range(len(x)):
        y[i] = x[i] * (1.0 / h) + 6.0 / g


def in_rows(x: Any, y: Any, h: float, g: float) -> None:
    for j in range(3):
        for i in range(j, len(x)):
            y[i] = x[i] * (1.0 / (h * h)) + y[i] * (2.0 / g)


@pytest.mark.parametrize("f", [quotients, in_rows])
@pytest.mark.parametrize(("size", "h", "g"), [
    (0, 0.0, 0.0), (40, 2.0, 3.0), (40, 0.0, 3.0), (40, 2.0, 0.0), (40, 0.0, 0.0), (3, 0.5, 1.0), (3, 0.0, 2.0),
])  # fmt: skip
def test_errors_are_pythons(f: Any, size: int, h: float, g: float) -> None:
    x = np.random.default_rng(size).random(size)
    ours, pythons = np.zeros_like(x), np.zeros_like(x)
    try:
        f(x, pythons, h, g)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            mdh.jit(f)(x, ours, h, g)
    else:
        mdh.jit(f)(x, ours, h, g)
        np.testing.assert_allclose(ours, pythons)
