"""Selects of lanes that a masked load has left zero, before and after; what they come to is the same."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Apply, Kernel, Let, Literal, Load, Return, Splat, Store, Value
from jitmdh.mdh.kernel.passes.zero_lanes import leave_zero_lanes
from tests.mdh.kernel.passes.examples import apply, body, kernel, real, text, written

A, B, MASK, OTHER = real("a", lanes=8), real("b", lanes=8), real("m", bool_, 8), real("o", bool_, 8)


def chosen(value: Value, otherwise: float = 0.0, mask: Value = MASK) -> Kernel:
    """`y = m ? value : otherwise` of two vectors, the first 5 elements of each."""
    zeros = Splat(Literal(otherwise, float32), float32, 8)
    return kernel(
        Let(MASK, Apply("first_lanes", (integer(5),), bool_, 8)),
        Let(OTHER, Apply("first_lanes", (integer(4),), bool_, 8)),
        Let(A, Load("x", integer(0), float32, 8, mask=MASK)),
        Let(B, Load("x", integer(8), float32, 8, mask=MASK)),
        Store("y", integer(0), Apply("select", (mask, value, zeros), float32, 8)),
        Return(integer(0)),
    )


def test_golden() -> None:
    before = chosen(apply("mul", A, B))
    assert body(before).splitlines()[-2] == "store8(&y[0], (m ? (a * b) : 0.0f));"
    assert body(leave_zero_lanes(before)) == text("""
        const bool8 m = first_lanes(5);
        const bool8 o = first_lanes(4);
        const float8 a = load8(&x[0] ? m);
        const float8 b = load8(&x[8] ? m);
        store8(&y[0], a * b);
        return status;
    """)


@pytest.mark.parametrize("value", [A, apply("add", A, B), apply("mul", A, apply("sub", B, A))])
def test_left_out(value: Value) -> None:
    before = chosen(value)
    after = leave_zero_lanes(before)
    assert "?" not in body(after).splitlines()[-2]
    np.testing.assert_array_equal(written(after, 0), written(before, 0))


ONE = Splat(Literal(1.0, float32), float32, 8)
WHOLE = Load("x", integer(3), float32, 8)


@pytest.mark.parametrize(
    "kept",
    [
        chosen(apply("add", A, ONE)),
        chosen(apply("mul", A, WHOLE)),  # 0 · inf
        chosen(apply("neg", A)),  # -0.0
        chosen(A, -0.0),
        chosen(A, 1.0),
        chosen(A, mask=OTHER),
        chosen(WHOLE),
    ],
)
def test_kept(kept: Kernel) -> None:
    assert leave_zero_lanes(kept) is kept
