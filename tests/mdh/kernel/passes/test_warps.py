"""Vectors become warps: before and after, and that threads hold what the lanes held."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply, negated
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    BufferArgument,
    Declare,
    Failed,
    For,
    If,
    Iota,
    Join,
    Kernel,
    Let,
    Literal,
    Load,
    Merge,
    Parallel,
    Permute,
    Return,
    Scratch,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.passes.warps import to_warps
from jitmdh.mdh.kernel.simt_interp import run_grids
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import apply, body, kernel, number, real, text

t, i = number("t"), number("i")


def warps(before: Kernel) -> Kernel:
    after = to_warps(before, 4, NotAnMdhError)
    verify(after)
    return after


def tasks(count: Value, *statements: Statement) -> Kernel:
    return kernel(Parallel(t, count, statements), Return(integer(0)))


def test_lanes_are_threads() -> None:
    v = real("v", lanes=32)
    before = tasks(
        integer(9),
        Let(v, Load("x", multiply(t, integer(2)), float32, 32)),
        Store("y", multiply(t, integer(33)), apply("mul", v, v)),
        Store("y", add(multiply(t, integer(33)), integer(32)), Shuffle(v, (3,), float32)),
    )
    assert body(warps(before)) == text("""
        grid for (long block = 0; block < 3; block++) {  // 128 threads
            const long lane = thread() % 32;
            const long t = (block * 4) + (thread() / 32);
            if (t < 9) {
                const float v = x[(t * 2) + lane];
                y[(t * 33) + lane] = v * v;
                const float lane.given1 = exchange32(v, 3);
                if (lane < 1) y[(t * 33) + 32] = lane.given1;
            }
        }
        return status;
    """)


def test_all_threads_of_a_warp_see_the_same_failure() -> None:
    """Another warp may fail between two looks; who waits at a barrier would wait for ever."""
    before = tasks(
        integer(40), Let(real("a"), Load("x", t, real("a").type)), If(negated(Failed()), (Store("y", t, real("a")),))
    )
    assert "exchange32((status != 0), 0)" in body(warps(before))


def test_what_is_written_and_read_has_barriers() -> None:
    """A prefix sum in memory: each step reads what another thread wrote."""
    before = tasks(
        integer(1),
        For(i, integer(1), integer(40), integer(1), (
            Store("y", i, apply("add", Load("y", add(i, integer(-1)), float32), Load("x", i, float32))),
        )),
        Store("y", integer(40), Load("y", integer(8), float32, 32)),
    )  # fmt: skip
    after = warps(before)
    assert body(after).count("barrier(32);") == 4
    agree(before)
    without = body(after).replace("barrier(32);\n", "")
    assert "barrier" not in without


REVERSED = tuple(reversed(range(32)))


@pytest.mark.parametrize(
    "second",
    [
        Load("y", integer(1), float32, 32),
        Shuffle(Load("y", integer(0), float32, 32), REVERSED, float32),
        Load("y", integer(3), float32),
    ],
    ids=["other lanes", "moved lanes", "one for all"],
)
def test_a_store_may_read_what_the_one_before_it_wrote(second: Value) -> None:
    """The barrier behind the first store is not in vain."""
    agree(
        tasks(integer(1), Store("y", integer(0), Load("x", integer(0), float32, 32)), Store("y", integer(40), second))
    )


@pytest.mark.parametrize("lanes", [1, 4, 32])
def test_a_store_may_read_what_other_lanes_of_it_write(lanes: int) -> None:
    """All lanes have read before one of them writes."""
    ahead, moved = (Load("y", integer(n), float32, lanes) for n in (1, 40))
    turned = moved if lanes == 1 else Shuffle(moved, tuple(reversed(range(lanes))), float32)
    agree(tasks(
        integer(1),
        StoreRun("y", integer(0), tuple(Load("x", integer(32 * n), float32, 32) for n in range(3))),
        Store("y", integer(0), ahead),
        Store("y", integer(40), turned),
        Store("y", integer(40), apply("add", moved, moved)),
        *([] if lanes == 1 else [StoreRun("y", integer(8), (moved, ahead))]),
        Store("y", integer(80), Load("y", integer(0), float32), mask=compare("lt", Load("y", integer(80), float32),
                                                                              Literal(9.0, float32))),
    ))  # fmt: skip


def test_parts_of_elements_are_one_memory() -> None:
    """A load of complex numbers goes by the name of their real parts, and reads the imaginary ones, too."""
    re, im = (
        BufferArgument(f"y.{n}", float32, 0, True, offset=at, of="y", item_bytes=8) for n, at in (("re", 0), ("im", 4))
    )
    wide, one = real("wide", lanes=16), real("one")
    before = Kernel("k", (re, im, BufferArgument("x", float32, 1)), (
        Parallel(t, integer(1), (
            For(i, integer(0), integer(20), integer(1), (
                Let(wide, Load("y.re", multiply(i, integer(2)), float32, 16)),
                Let(one, Shuffle(wide, (3,), float32)),
                Store("y.re", add(multiply(i, integer(2)), integer(6)), apply("add", one, Load("x", i, float32))),
                Store("y.im", add(multiply(i, integer(2)), integer(6)), one),
            )),
        )),
        Return(integer(0)),
    ))  # fmt: skip
    agree(before)


def test_names_of_one_buffer_from_outside_of_the_loop() -> None:
    before = kernel(
        View("left", "y", integer(0)),
        View("right", "y", integer(1)),
        Parallel(t, integer(1), (
            Store("left", integer(0), Load("x", integer(0), float32, 32)),
            Store("left", integer(40), Load("right", integer(0), float32, 32)),
        )),
        Return(integer(0)),
    )  # fmt: skip
    agree(before)


A, B = (Load("x", integer(n), float32, 32) for n in (0, 40))


@pytest.mark.parametrize(
    ("second", "barriers"),
    [
        (Store("y", integer(5), Shuffle(A, (0,), float32)), 1),
        (Store("y", integer(1), B), 1),
        (Store("y", number("t"), B), 1),
        (Store("y", integer(0), B), 0),
        (Store("y", integer(32), B), 0),
        (Store("y", integer(0), Load("x", integer(0), float32, 8), stride=integer(2)), 1),
        (For(i, integer(0), integer(3), integer(1), (Store("y", i, B),)), 2),
        (For(i, integer(0), integer(64), integer(32), (Store("y", i, B),)), 1),
    ],
    ids=["one", "one further", "unknown", "same", "behind", "every second", "loop that overlaps", "loop of tiles"],
)
def test_what_lanes_write_again_has_barriers(second: Statement, barriers: int) -> None:
    """What is written last stays; nobody reads it here."""
    before = tasks(integer(1), Store("y", integer(0), A), second)
    agree(before)
    assert body(warps(before)).count("barrier(32);") == barriers


def lanes_of(v: Value, picks: tuple[int, ...]) -> Value:
    return Shuffle(v, picks, float32)


def agree(before: Kernel, size: int = 96) -> None:
    """What lanes compute in order is what threads compute at once."""
    found = []
    for run, made in ((run_kernel, before), (run_grids, warps(before))):
        y, x = np.full(size, 7, np.float32), np.random.default_rng(0).random(2 * size).astype(np.float32)
        frame = np.array([y.ctypes.data, x.ctypes.data], np.int64)
        verify(made)
        arguments: Any = (made, frame, {0: y, 1: x})
        run(*arguments)
        found.append(y)
    np.testing.assert_array_equal(*found)
    assert np.any(found[0] != 7)


LENGTHS = st.sampled_from([2, 4, 8, 16, 32])


@given(st.data())
@settings(max_examples=60)
def test_lanes_that_move(data: st.DataObject) -> None:
    """Shuffles, merges, joins and permutations of vectors of all lengths."""
    length = data.draw(LENGTHS)
    a, b = (Load("x", integer(n), float32, length) for n in (3, 50))
    kind = data.draw(st.sampled_from(["shuffle", "merge", "join", "permute", "reverse"]))
    many = data.draw(LENGTHS)
    if kind == "shuffle":
        moved: Value = Shuffle(a, tuple(data.draw(st.integers(0, length - 1)) for _ in range(many)), float32)
    elif kind == "merge":
        moved = Merge(a, b, tuple(data.draw(st.integers(0, 2 * length - 1)) for _ in range(many)))
    elif kind == "join":
        several = data.draw(st.sampled_from([n for n in (1, 2, 4) if n * length <= 32]))
        moved = Join((a, b, apply("add", a, b), b)[:several])
    elif kind == "reverse":
        moved = Shuffle(a, tuple(reversed(range(length))), float32)
    else:
        numbers = Apply("urem", (Apply("mul", (Iota(length), Splat(integer(5), int64, length)), int64, length),
                                 Splat(integer(2 * length), int64, length)), int64, length)  # fmt: skip
        moved = Permute(a, b, numbers)
    agree(tasks(integer(1), Store("y", integer(1), moved)))


@pytest.mark.parametrize("length", [4, 16, 32])
def test_lanes_of_prefix_sums_and_reductions(length: int) -> None:
    """Lanes some places before or behind, or whose number differs in some bits: no table of numbers."""
    for step in (1, 2, length // 2, length - 1):
        before = tuple(max(n - step, 0) for n in range(length))
        within = tuple(max(n - step, 1) for n in range(length))
        crossed = tuple(n ^ step for n in range(length))
        for picks in (before, within, crossed):
            made = tasks(integer(1), Store("y", integer(1), lanes_of(Load("x", integer(3), float32, length), picks)))
            agree(made)
            assert ">>" not in body(warps(made))


@given(LENGTHS, st.integers(-1, 33), st.sampled_from([1, 2]))
@settings(max_examples=30)
def test_masks_strides_and_runs(length: int, count: int, stride: int) -> None:
    mask = Apply("first_lanes", (integer(count),), bool_, length)
    loaded = Load("x", integer(1), float32, length, stride=integer(stride), mask=mask)
    whole = Load("x", integer(5), float32, length)
    agree(tasks(
        integer(1),
        Store("y", integer(80), Literal(1.0, float32)),
        Store("y", integer(0), loaded, stride=integer(stride), mask=mask),
        If(mask, (Store("y", integer(70), Literal(2.0, float32)),)),
        StoreRun("y", integer(72), (Shuffle(whole, (0, 1), float32), Shuffle(whole, (1, 0), float32))),
    ))  # fmt: skip


def test_a_loop_of_lanes_goes_on_while_one_of_them_does() -> None:
    lanes, left = real("lanes", lanes=8), real("left", bool_, 8)
    halved, one = (
        apply("mul", lanes, Splat(Literal(0.5, float32), float32, 8)),
        Splat(Literal(0.1, float32), float32, 8),
    )
    agree(tasks(
        integer(1),
        Declare(lanes, Load("x", integer(0), float32, 8)),
        Declare(left, compare("gt", lanes, one)),
        While(left, (
            Assign(lanes, Apply("select", (left, halved, lanes), float32, 8)),
            Assign(left, compare("gt", lanes, one)),
        )),
        Store("y", integer(0), lanes),
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (Store("y", integer(0), Load("x", integer(0), float32, 64)), "a vector of 64 lanes"),
        (Store("y", integer(0), Load("x", integer(0), float32, 12)), "a vector of 12 lanes"),
        (
            Scratch("s", float32, integer(4), (Store("s", integer(0), Literal(1.0, float32)),)),
            "Scratch inside a kernel",
        ),
    ],
)
def test_refused(statement: Statement, message: str) -> None:
    with pytest.raises(NotAnMdhError, match=message):
        warps(tasks(integer(3), statement))
