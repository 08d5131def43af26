"""Names that are looked at once, before and after."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    Grid,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Return,
    Statement,
    Store,
    Thread,
    Value,
)
from jitmdh.mdh.kernel.passes.offloading.single_uses import leave_out_single_uses
from jitmdh.mdh.kernel.simt_interp import run_grids
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text

T, K = number("t"), number("k")
ACC, OTHER, A, B = real("acc"), real("other"), real("a"), real("b")
NEXT, MORE = real("next"), real("more")
LAST = Store("y", T, apply("add", ACC, OTHER))


def grid(*inside: Statement) -> Kernel:
    first = (Let(T, Thread()), Let(A, Load("x", T, float32)), Declare(ACC, Literal(0.5, float32)))
    return kernel(Grid(number("g"), integer(1), 32, (*first, Declare(OTHER, A), *inside)), Return(integer(0)))


def results(of: Kernel) -> np.ndarray:  # type: ignore[type-arg]
    verify(of)
    y, x = np.zeros(32, np.float32), np.arange(1, 33, dtype=np.float32)
    run_grids(of, np.array([y.ctypes.data, x.ctypes.data], np.int64), {0: y, 1: x})
    return y


def test_golden() -> None:
    before = grid(
        For(K, integer(0), integer(3), integer(1), (
            Let(NEXT, apply("add", ACC, A)),
            Let(MORE, apply("maximum", OTHER, A)),
            Assign(ACC, NEXT),
            Assign(OTHER, MORE),
            Let(B, apply("mul", ACC, A)),
            Assign(OTHER, apply("add", OTHER, B)),
        )),
        Let(real("sum"), apply("mul", ACC, OTHER)),
        Store("y", T, real("sum")),
    )  # fmt: skip
    after = leave_out_single_uses(before)
    lines = [line.removeprefix("    ") for line in body(after).split("other = a;\n")[1].splitlines()]
    assert "\n".join(lines[:6]) == text("""
        for (long k = 0; k < 3; k += 1) {
            acc = acc + a;
            other = maximum(other, a);
            other = other + (acc * a);
        }
        y[t] = acc * other;
    """)
    np.testing.assert_array_equal(results(after), results(before))


SUM, PRODUCT = apply("add", ACC, A), apply("mul", ACC, A)
KEPT: dict[str, tuple[Statement, ...]] = {
    "looked at in between": (Let(NEXT, SUM), Assign(OTHER, apply("mul", ACC, A)), Assign(ACC, NEXT), LAST),
    "assigned in between": (Let(NEXT, SUM), Assign(ACC, A), Assign(ACC, NEXT), LAST),
    "looked at twice": (Let(NEXT, SUM), Assign(ACC, NEXT), Assign(OTHER, apply("add", OTHER, NEXT)), LAST),
    "in a branch": (
        Let(NEXT, SUM), If(Apply("lt", (A, ACC), bool_), (Assign(ACC, NEXT),), ()), LAST,
    ),
    "looked at in a loop in between": (
        Let(NEXT, SUM),
        For(K, integer(0), integer(2), integer(1), (Assign(OTHER, apply("add", OTHER, ACC)),)),
        Assign(ACC, NEXT), LAST,
    ),
    "an operand is assigned in between": (
        Let(NEXT, PRODUCT), Assign(ACC, A), Assign(OTHER, apply("add", OTHER, NEXT)), LAST,
    ),
    "a load": (Let(NEXT, Load("x", integer(3), float32)), Assign(OTHER, apply("add", OTHER, NEXT)), LAST),
}  # fmt: skip


@pytest.mark.parametrize("what", KEPT)
def test_names_that_stay(what: str) -> None:
    before = grid(*KEPT[what])
    after = leave_out_single_uses(before)
    assert f"{NEXT.name} =" in body(after)
    np.testing.assert_array_equal(results(after), results(before))


def test_what_was_moved_is_seen() -> None:
    """An assignment that moved up stands between others then."""
    before = grid(
        Let(B, PRODUCT),
        Let(NEXT, SUM),
        Assign(OTHER, apply("add", OTHER, B)),
        Assign(ACC, NEXT),
        LAST,
    )
    after = leave_out_single_uses(before)
    np.testing.assert_array_equal(results(after), results(before))
    again: Value = Apply("add", (OTHER, PRODUCT), float32)
    assert Assign(OTHER, again) in after.body[0].body  # type: ignore[union-attr]
    assert leave_out_single_uses(after) is after


def test_the_host_keeps_its_names() -> None:
    before = kernel(Declare(ACC, Literal(0.0, float32)), Let(NEXT, SUM), Assign(ACC, NEXT))
    assert leave_out_single_uses(before) is before
