"""The interpreter of kernel IR on kernels written by hand: memory, masks, statuses, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32, float64, int64
from jitmdh.base.errors import InternalError
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, lead, subtract
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    CombineEnds,
    CombiningBuffer,
    Declare,
    Fail,
    Failed,
    Flush,
    For,
    If,
    Iota,
    Join,
    Kernel,
    Let,
    Literal,
    Load,
    Merge,
    Misalignment,
    Name,
    Parallel,
    Permute,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Threads,
    View,
    While,
)
from jitmdh.mdh.kernel.verify import verify

Array = np.ndarray[Any, Any]
i, t, v = Name("i"), Name("t", float64), Name("v", float64, 4)
MASK = Apply("first_lanes", (Argument(2),), bool_, 4)


def run(*body: Statement, y: Array, x: Array | None = None, n: int = 3, **options: Any) -> tuple[int, Array]:
    """Status and frame after a kernel of `y`, which is written, `x`, and the number `n` in slot 2."""
    kernel = Kernel(
        "kernel", (BufferArgument("y", float64, 0, written=True), BufferArgument("x", float64, 1)),
        (*body, Return(integer(0))),
    )  # fmt: skip
    verify(kernel)
    x = np.arange(10.0) if x is None else x
    frame = np.array([y.ctypes.data, x.ctypes.data, n], np.int64)
    return run_kernel(kernel, frame, {0: y, 1: x}, **options), frame


def test_a_loop_ends_when_no_lane_goes_on() -> None:
    y = np.zeros(4)
    lanes, left = Name("lanes", float64, 4), Name("left", bool_, 4)
    halved = Apply("mul", (lanes, Splat(Literal(0.5, float64), float64, 4)), float64, 4)
    one = Splat(Literal(1.0, float64), float64, 4)
    run(
        Declare(lanes, Load("x", integer(5), float64, 4)),
        Declare(left, compare("gt", lanes, one)),
        While(left, (
            Assign(lanes, Apply("select", (left, halved, lanes), float64, 4)),
            Assign(left, compare("gt", lanes, one)),
        )),
        Store("y", integer(0), lanes),
        y=y, x=np.array([0, 0, 0, 0, 0, 8.0, 0.5, 3.0, 1.0, 0]),
    )  # fmt: skip
    np.testing.assert_array_equal(y, [1, 0.5, 0.75, 1])


def test_lanes() -> None:
    y = np.zeros(8)
    a, b = Load("x", integer(0), float64, 4), Load("x", integer(1), float64, 4, stride=integer(2))
    run(
        Let(v, Apply("add", (Shuffle(a, (3, 2, 1, 0), float64), b), float64, 4)),
        StoreRun("y", integer(0), (v, Merge(a, v, (0, 4, 3, 7)))),
        y=y,
    )
    np.testing.assert_array_equal(y, [4, 5, 6, 7, 0, 4, 3, 7])
    run(Store("y", integer(0), Join((a, Splat(Literal(-1.0, float64), float64, 4)))), y=y)
    np.testing.assert_array_equal(y, [0, -1, 1, -1, 2, -1, 3, -1])


@pytest.mark.parametrize("n", [-1, 0, 1, 3, 4, 9])
def test_masked_lanes_are_not_touched(n: int) -> None:
    """Neither read (x ends where they begin) nor written; what is not read is 0."""
    y, z = np.full(4, 7.0), np.full(4, 7.0)
    x = np.arange(1.0, 1.0 + max(0, min(4, n)))
    loaded = Load("x", integer(0), float64, 4, mask=MASK)
    run(Store("y", integer(0), loaded, mask=MASK), y=y, x=x, n=n)
    run(Store("y", Iota(4), loaded), y=z, x=x, n=n)
    np.testing.assert_array_equal(y, [*x, *[7.0] * (4 - x.size)])
    np.testing.assert_array_equal(z, [*x, *[0.0] * (4 - x.size)])


def test_variables_live_through_loops_and_names_end_with_blocks() -> None:
    y = np.zeros(1)
    inner = Let(t, Load("x", i, float64)), Assign(Name("s", float64), Apply("add", (Name("s", float64), t), float64))
    run(
        Declare(Name("s", float64), Literal(0.0, float64)),
        Let(t, Literal(5.0, float64)),
        For(i, integer(1), integer(8), integer(3), inner),
        Store("y", integer(0), Apply("sub", (Name("s", float64), t), float64)),
        y=y,
    )
    assert y[0] == 1 + 4 + 7 - 5


def test_the_first_failure_is_the_status() -> None:
    y = np.zeros(2)
    body = (
        Fail(compare("gt", Argument(2), integer(0)), 5),
        Fail(Literal(True, bool_), 6),
        If(Failed(), (Store("y", integer(0), Literal(1.0, float64)),)),
    )
    assert run(*body, y=y, n=1)[0] == 5
    assert run(*body, y=y, n=0)[0] == 6
    assert y[0] == 1
    assert run(If(Literal(True, bool_), (Return(integer(9)),)), Fail(Literal(True, bool_), 6), y=y)[0] == 9


def test_the_frame_is_written() -> None:
    _, frame = run(SetArgument(2, add(Argument(2), Threads())), y=np.zeros(1), threads=4)
    assert frame[2] == 7


def test_views_reach_back() -> None:
    y = np.zeros(4)
    run(
        View("end", "y", integer(4)), View("middle", "end", integer(-1)),
        Store("middle", integer(-2), Literal(3.0, float64)), y=y,
    )  # fmt: skip
    np.testing.assert_array_equal(y, [0, 3, 0, 0])


def test_an_aligned_address_is_reached() -> None:
    for reached, sign in ((lead("y", integer(3), 4), 1), (Misalignment("y", integer(3), 4), -1)):
        y = np.zeros(64)
        run(Store("y", reached, Literal(1.0, float64)), y=y)
        first = int(np.flatnonzero(y)[0])
        assert (y.ctypes.data + 8 * (3 + sign * first)) % 32 == 0 and first < 4


@pytest.mark.parametrize("at", range(4))
def test_ends_of_a_run_wait_for_a_flush(at: int) -> None:
    """Of two vectors from an address on, those parts that do not fill an aligned vector."""
    memory = np.zeros(20)
    y = memory[-memory.ctypes.data // 8 % 4 + at :]
    head, tail = Load("x", integer(0), float64, 4), Load("x", integer(4), float64, 4)
    ends = CombineEnds("lines", "y", integer(0), head, tail, 2)
    seen = Store("y", integer(11), Load("y", integer(0), float64))
    run(CombiningBuffer("lines"), ends, seen, Flush("lines"), y=y)
    expected = np.zeros(y.size)
    expected[: 4 - at], expected[8 - at : 8] = np.arange(at, 4.0), np.arange(4.0, 4.0 + at)
    np.testing.assert_array_equal(y, expected)
    with pytest.raises(InternalError, match="what waits in `lines` is never written"):
        run(CombiningBuffer("lines"), ends, y=y)


def test_permuted_lanes() -> None:
    y = np.zeros(4)
    a, b = Load("x", integer(0), float64, 4), Load("x", integer(4), float64, 4)
    picks = Apply("add", (Iota(4), Splat(Argument(2), int64, 4)), int64, 4)
    run(Store("y", integer(0), Permute(a, b, picks)), y=y)
    np.testing.assert_array_equal(y, [3, 4, 5, 6])
    with pytest.raises(InternalError, match=r"lanes \[5 6 7 8\] of 8"):
        run(Store("y", integer(0), Permute(a, b, picks)), y=y, n=5)


def test_tasks_run_in_the_order_that_is_asked_for() -> None:
    seen: list[int] = []

    def backwards(count: int) -> Iterable[int]:
        for n in reversed(range(count)):
            seen.append(n)
            yield n

    y = np.zeros(5)
    body = Parallel(i, integer(5), (Store("y", i, Load("x", subtract(integer(9), i), float64)),))
    run(body, y=y, order=backwards)
    np.testing.assert_array_equal(y, [9, 8, 7, 6, 5])
    assert seen == [4, 3, 2, 1, 0]


def test_tasks_that_are_not_independent_are_found() -> None:
    """What the order of tasks is for."""
    body = Parallel(i, integer(2), (Store("y", integer(0), Load("x", i, float64)),))
    first, second = np.zeros(1), np.zeros(1)
    run(body, y=first)
    run(body, y=second, order=lambda count: reversed(range(count)))
    assert first[0] != second[0]


def test_working_buffers_begin_as_garbage() -> None:
    y = np.zeros(1)
    run(Scratch("s", float64, integer(4), (Store("y", integer(0), Load("s", integer(2), float64)),)), y=y)
    assert np.isnan(y[0])


UNDEFINED: dict[str, tuple[Statement, str]] = {
    "read behind the end": (Let(v, Load("x", integer(7), float64, 4)), "`x[10]` is outside its memory: byte 80 of 80"),
    "read before": (Let(t, Load("x", integer(-1), float64)), "`x[-1]` is outside its memory"),
    "written behind": (Store("y", integer(4), Literal(1.0, float64)), "`y[4]` is outside its memory"),
    "division": (Let(i, Apply("floordiv", (integer(1), subtract(Argument(2), Argument(2))), int64)), "by zero"),
    "exact": (Let(i, Apply("exact_div", (Argument(2), integer(2)), int64)), "3 is no multiple of 2"),
    "size": (Let(i, Apply("capped_mul", (Argument(2), integer(-2)), int64)), "a size of 3 times -2"),
    "alignment": (For(i, integer(0), integer(2), integer(1), (
        Scratch("s", float64, integer(8), (Store("s", i, Splat(Literal(1.0, float64), float64, 4), aligned=True),)),
    )), "the address is not aligned"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNDEFINED)
def test_what_compiled_code_would_do_anything_for(what: str) -> None:
    statement, reason = UNDEFINED[what]
    with pytest.raises(InternalError) as caught:
        run(statement, y=np.zeros(4))
    assert reason in caught.value.message


def test_types_are_those_of_the_ir() -> None:
    y = np.zeros(1)
    third = Apply("truediv", (Literal(1.0, float32), Literal(3.0, float32)), float32)
    run(Store("y", integer(0), Apply("cast", (third,), float64)), y=y)
    assert float(y[0]) == float(np.float32(1) / np.float32(3))
    assert float(y[0]) != 1 / 3
