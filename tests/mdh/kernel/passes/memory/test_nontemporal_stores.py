"""Streamed vectors whose addresses are looked at, before and after."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Load, Name, Return, Store
from jitmdh.mdh.kernel.passes.memory.nontemporal_stores import stream_aligned
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text, written

A = real("a", lanes=16)


def test_golden() -> None:
    before = kernel(
        Store("y", number("at"), A, streaming=True),
        Store("y", number("at"), apply("neg", A), streaming=True),
        Store("y", number("at"), A, aligned=True, streaming=True),
        Store("y", number("at"), A, mask=Name("m", bool_, 16), streaming=True),
        Store("y", number("at"), real("b"), streaming=True),
    )
    assert body(before) == text("""
        stream16(&y[at], a);
        stream16(&y[at], -a);
        stream16(&y[at], a);
        stream16(&y[at], a ? m);
        y[at] = b;
    """)
    assert body(stream_aligned(before)) == text("""
        if (misalignment16(&y[at]) == 0) {
            stream16(&y[at], a);
        } else {
            store16(&y[at], a);
        }
        const float16 streamed.1 = -a;
        if (misalignment16(&y[at]) == 0) {
            stream16(&y[at], streamed.1);
        } else {
            store16(&y[at], streamed.1);
        }
        stream16(&y[at], a);
        store16(&y[at], a ? m);
        y[at] = b;
    """)


@pytest.mark.parametrize("behind", [0, 5])
def test_the_same_elements_are_written(behind: int) -> None:
    before = kernel(Store("y", integer(3), Load("x", integer(1), float32, 16), streaming=True), Return(integer(0)))
    np.testing.assert_array_equal(written(stream_aligned(before), behind), written(before, behind))
