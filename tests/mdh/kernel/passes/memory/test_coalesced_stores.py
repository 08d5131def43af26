"""Runs of vectors as whole cache lines, before and after."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import float16, float32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import CombiningBuffer, Fence, Flush, Let, Load, Name, Return, Statement, StoreRun
from jitmdh.mdh.kernel.passes.memory.coalesced_stores import coalesce_stores
from jitmdh.mdh.kernel.passes.memory.nontemporal_stores import stream_aligned
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text, written

A, B = real("a", lanes=16), real("b", lanes=16)


def test_golden() -> None:
    before = kernel(StoreRun("y", number("at"), (A, apply("neg", B))))
    assert body(before) == "store_run16(&y[at], a, -b);"
    assert body(coalesce_stores(before, 64)) == text("""
        const float16 stored.1.1 = -b;
        auto *y.run1 = &y[at];
        const long behind.1 = misalignment16(&y.run1[0]);
        const long left.1 = 16 - behind.1;
        const int16 picks.1 = splat16((int)left.1) + iota16;
        auto *y.lines1 = &y.run1[left.1];
        store16(&y.lines1[0], permute(a, stored.1.1; picks.1));
        store16(&y.run1[0], a ? iota16 < splat16((int)left.1));
        store16(&y.lines1[16], permute(stored.1.1, stored.1.1; picks.1) ? iota16 < splat16((int)behind.1));
    """)


def test_what_is_streamed_leaves_its_ends() -> None:
    before = kernel(StoreRun("y", number("at"), (A, B, A), True, "lines"))
    assert body(coalesce_stores(before, 64)).splitlines()[-3:] == [
        "stream16(&y.lines1[0], permute(a, b; picks.1));",
        "stream16(&y.lines1[16], permute(b, a; picks.1));",
        "combine_ends(lines, &y.run1[0], permute(a, a; picks.1), permute(a, a; picks.1); 3);",
    ]


def test_what_is_no_line_is_stored_as_it_is() -> None:
    half, short = real("h", float16, 32), real("s", lanes=8)
    for values, line_bytes in (((A, B), 0), ((short, short), 64), ((half, half), 64)):
        before = kernel(StoreRun("y", number("at"), values))
        lanes = values[0].lanes
        expected = f"store{lanes}(&y[at], {values[0].name});\nstore{lanes}(&y[at + {lanes}], {values[1].name});"
        assert body(coalesce_stores(before, line_bytes)) == expected


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("behind", range(16))
def test_the_same_elements_are_written(behind: int, streaming: bool) -> None:
    rows = [Name(f"row.{n}", float32, 16) for n in range(4)]
    loads = [Let(row, Load("x", integer(16 * n), float32, 16)) for n, row in enumerate(rows)]
    run = StoreRun("y", integer(7), tuple(rows), streaming, "lines" if streaming else None)
    waiting: tuple[Statement, ...] = (CombiningBuffer("lines"),) if streaming else ()
    flush: tuple[Statement, ...] = (Flush("lines"), Fence()) if streaming else ()
    before = kernel(*waiting, *loads, run, *flush, Return(integer(0)))
    after = stream_aligned(coalesce_stores(before, 64))
    np.testing.assert_array_equal(written(after, behind), written(before, behind))
