"""One broken kernel for each rule of the verifier, and the complaint."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from jitmdh.base.dtype import bool_, float32, float64, int32, int64
from jitmdh.base.errors import InternalError
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    CombineEnds,
    CombiningBuffer,
    Declare,
    Fail,
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
    Poll,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.verify import verify

BUFFERS = (
    BufferArgument("x", float32, 0),
    BufferArgument("y", float32, 1, written=True),
    BufferArgument("a", float32, 2, written=True, inline=True),
)
i, j = Name("i"), Name("j")
f, v = Name("f", float32), Name("v", float32, 8)
ONE, TRUE = Literal(1.0, float32), Literal(True, bool_)
ONES = Splat(ONE, float32, 8)


def kernel(*body: Statement) -> Kernel:
    return Kernel("kernel", BUFFERS, (*body, Return(integer(0))))


def reads(buffer: str, offset: Value) -> PrefetchInputs:
    return PrefetchInputs(buffer, float32, offset, (integer(1),), ((-1,),), 0, 16, ((16,),), along=True)


def writes(buffer: str, offset: Value) -> PrefetchResults:
    return PrefetchResults(buffer, float32, offset, (integer(1),), ((0,), (8,)), 8, integer(1), (0,))


def loop(*body: Statement) -> Statement:
    return For(i, integer(0), integer(8), integer(1), body)


def parallel(*body: Statement) -> Statement:
    return Parallel(i, integer(4), body)


def test_a_good_kernel() -> None:
    """Blocks see what is outside; names may be bound again, with another type; variables keep theirs."""
    total = Name("total", float32)
    mask = Apply("first_lanes", (j,), bool_, 8)
    verify(kernel(
        Let(j, Argument(2)),
        parallel(
            Declare(total, ONE),
            loop(
                Let(f, Load("x", add(i, j), float32)),
                Assign(total, Apply("add", (total, f), float32, relaxed=True)),
            ),
            Let(v, Load("x", i, float32, 8, mask=mask)),
            Let(Name("f", float64), Apply("cast", (total,), float64)),
            View("part", "y", j),
            Store("part", Iota(8), v, mask=mask),
            Scratch("s", float32, j, (StoreRun("s", Misalignment("s", integer(0), 8), (v, ONES)),)),
            Fail(compare("lt", v, ONE), 1),
        ),
        Declare(f, ONE),
        loop(Let(f, ONE), loop(Store("y", i, f), Prefetch("x", i))),
        reads("x", j),
        writes("y", j),
        Assign(f, ONE),
        parallel(Let(f, ONE), Store("y", i, f), CombiningBuffer("lines"), Flush("lines")),
        For(i, Literal(-(2**63)), Literal(2**63 - 1), integer(1), ()),
        Poll(integer(3)),
        CombiningBuffer("lines"),
        StoreRun("y", integer(0), (ONES,), True, "lines"),
        CombineEnds("lines", "y", integer(0), ONES, ONES, 1),
        Let(v, Permute(ONES, ONES, Apply("add", (Iota(8), Splat(integer(1), int64, 8)), int64, 8))),
        Let(v, Merge(ONES, ONES, (0, 15, *range(6)))),
        Let(v, Apply("select", (Splat(TRUE, bool_, 8), ONES, ONES), float32, 8)),
        Let(Name("b"), Misalignment("y", Argument(0), 1)),
        If(TRUE, (SetArgument(1, j),), (Return(integer(2)),)),
    ))  # fmt: skip


BROKEN: dict[str, tuple[tuple[Statement, ...], str]] = {
    "not defined": ((Store("y", i, ONE),), "`i` is not defined, in `y[i] = 1.0f;`"),
    "used before": ((Store("y", j, ONE), Let(j, integer(1))), "`j` is not defined"),
    "after its block": ((loop(Let(j, i)), Store("y", j, ONE)), "`j` is not defined"),
    "after its branch": ((If(TRUE, (Let(j, integer(1)),), (Store("y", j, ONE),)),), "`j` is not defined"),
    "other type": (
        (Let(j, integer(1)), Store("y", integer(0), Name("j", float32))), "`j` is int64, used as float32"
    ),
    "bound again with another type": (
        (Let(f, ONE), Store("y", integer(0), f), Let(Name("f", float64), Literal(1.0, float64)),
         Store("y", integer(0), f)), "`f` is float64, used as float32",
    ),
    "value of another type": ((Let(f, integer(1)),), "`f` is float32, its value int64"),
    "first value": ((Declare(v, ONE),), "`v` is 8 lanes of float32, its value float32"),
    "assigned, no variable": ((Let(f, ONE), Assign(f, ONE)), "`f` is assigned, but is no variable"),
    "assigned another type": ((Declare(f, ONE), Assign(f, integer(1))), "`f` is float32, its value int64"),
    "operands": ((Let(f, Apply("add", (ONE, integer(1)), float32)),), "operands of several types (float32, int64)"),
    "result": ((Let(j, Apply("mul", (ONE, ONE), int64)),), "`(1.0f * 1.0f)` is float32, not int64"),
    "comparison": ((Let(f, Apply("lt", (ONE, ONE), float32)),), "is bool, not float32"),
    "lanes": ((Let(v, Apply("add", (ONES, ONE), float32, 8)),), "operands of other lengths than 8 lanes"),
    "arity": ((Let(f, Apply("neg", (ONE, ONE), float32)),), "`neg` takes 1 operands, not 2"),
    "unknown operation": ((Let(f, Apply("frob", (ONE,), float32)),), "kernels have no operation `frob`"),
    "operation of algebra": ((Let(f, Apply("conj", (ONE,), float32)),), "kernels have no operation `conj`"),
    "address arithmetic": ((Let(f, Apply("udiv", (ONE, ONE), float32)),), "`udiv` of float32"),
    "choice": ((Let(f, Apply("select", (ONE, ONE, ONE), float32)),), "a condition of type float32"),
    "literal": ((Let(Name("s", int32), Literal(2**31, int32)),), "2147483648 is no int32"),
    "splat": ((Let(v, Splat(integer(1), float32, 8)),), "8 lanes of float32 of int64"),
    "lane": ((Let(f, Shuffle(ONES, (8,), float32)),), "lanes [8] of 8"),
    "merged": ((Let(v, Merge(ONES, Iota(8), tuple(range(8)))),), "parts of several types or lengths"),
    "buffer": ((Store("z", integer(0), ONE),), "there is no buffer `z` here"),
    "buffer after its life": (
        (Scratch("s", float32, integer(1), ()), Store("s", integer(0), ONE)), "there is no buffer `s` here"
    ),
    "view": ((View("part", "z", integer(0)),), "there is no buffer `z` here"),
    "view of what is only read": (
        (View("part", "x", integer(4)), Store("part", integer(0), ONE)), "`part` is not to be written"
    ),
    "view that hides an argument": ((View("x", "y", integer(4)),), "`x` is an argument of the kernel"),
    "working buffer that hides an argument": (
        (Scratch("x", float32, integer(1), ()),), "`x` is an argument of the kernel"
    ),
    "written": ((Store("x", integer(0), ONE),), "`x` is not to be written, in `x[0] = 1.0f;`"),
    "written scalar": ((Store("a", integer(0), ONE),), "`a` is not to be written"),
    "stored type": ((Store("y", integer(0), integer(1)),), "int64 is stored to `y`, which has float32"),
    "loaded type": ((Let(j, Load("x", integer(0), int64)),), "int64 is loaded from `x`, which has float32"),
    "offset": ((Store("y", ONE, ONE),), "the offset is float32, for 1 lanes"),
    "offsets": ((Store("y", Iota(4), ONES),), "the offset is 4 lanes of int64, for 8 lanes"),
    "stride": ((Store("y", integer(0), ONES, stride=ONE),), "the stride is float32, not int64"),
    "mask": ((Store("y", integer(0), ONES, mask=TRUE),), "a mask of 1 lanes for 8"),
    "mask type": ((Store("y", integer(0), ONE, mask=ONE),), "a condition of type float32"),
    "run": ((StoreRun("y", integer(0), (ONES, ONE)),), "values are not vectors of one type and length"),
    "permuted": ((Let(v, Permute(ONES, Iota(8), Iota(8))),), "parts of several types or lengths"),
    "picks": ((Let(v, Permute(ONES, ONES, ONES)),), "lanes are picked by 8 lanes of float32"),
    "no combining buffer": ((Flush("lines"),), "there is no write-combining buffer `lines` here"),
    "run that waits nowhere": (
        (StoreRun("y", integer(0), (ONES,), True, "lines"),), "there is no write-combining buffer `lines` here"
    ),
    "run that need not wait": (
        (CombiningBuffer("lines"), StoreRun("y", integer(0), (ONES,), False, "lines")), "waits for nothing"
    ),
    "combining buffer of another thread": (
        (CombiningBuffer("lines"), parallel(Flush("lines"))), "there is no write-combining buffer `lines` here"
    ),
    "ends": (
        (CombiningBuffer("lines"), CombineEnds("lines", "y", integer(0), ONES, Iota(8), 2)),
        "ends are not vectors of one type and length",
    ),
    "ends of no vectors": (
        (CombiningBuffer("lines"), CombineEnds("lines", "y", integer(0), ONE, ONE, 2)), "ends are not vectors"
    ),
    "ends of no run": (
        (CombiningBuffer("lines"), CombineEnds("lines", "y", integer(0), ONES, ONES, 0)), "a run of 0 vectors"
    ),
    "ends somewhere": (
        (CombiningBuffer("lines"), CombineEnds("lines", "y", ONE, ONES, ONES, 2)), "the offset is float32, not int64"
    ),
    "ends of what is only read": (
        (CombiningBuffer("lines"), CombineEnds("lines", "x", integer(0), ONES, ONES, 2)), "`x` is not to be written"
    ),
    "ends that wait nowhere": (
        (CombineEnds("lines", "y", integer(0), ONES, ONES, 2),), "there is no write-combining buffer `lines` here"
    ),
    "combining buffer after its block": (
        (loop(CombiningBuffer("lines")), Flush("lines")), "there is no write-combining buffer `lines` here"
    ),
    "empty run": ((StoreRun("y", integer(0), ()),), "there are no values"),
    "run of scalars": ((StoreRun("y", integer(0), (ONE, ONE)),), "values are not vectors"),
    "run somewhere": ((StoreRun("y", ONE, (ONES,)),), "the offset is float32, not int64"),
    "run to what is only read": ((StoreRun("x", integer(0), (ONES,)),), "`x` is not to be written"),
    "no lanes": ((Let(Name("v", int64, 0), Iota(0)),), "has no lanes"),
    "numbers of lanes": ((Let(v, Iota(8, float32)),), "numbers of lanes as float32"),
    "slot of a vector": ((Let(Name("v", int64, 8), Argument(0, int64, 8)),), "is no slot of a scalar"),
    "slot of two": ((Let(Name("v", int64, 2), Argument(0, int64, 2)),), "is no slot of a scalar"),
    "slot below the frame": ((Let(j, Argument(-1)),), "is no slot of a scalar"),
    "splat of a vector": ((Let(v, Splat(ONES, float32, 8)),), "8 lanes of float32 of 8 lanes of float32"),
    "no picks": ((Let(Name("v", float32, 0), Shuffle(ONES, (), float32)),), "has no lanes"),
    "negative lane": ((Let(f, Shuffle(ONES, (-1,), float32)),), "lanes [-1] of 8"),
    "lane of another type": ((Let(j, Shuffle(ONES, (0,), int64)),), "parts of several types or lengths"),
    "merged lane": ((Let(f, Merge(ONES, ONES, (16,))),), "lanes [16] of 16"),
    "joined": ((Let(v, Join((ONES, Iota(8)))),), "parts of several types or lengths"),
    "picks of other lanes": ((Let(v, Permute(ONES, ONES, Iota(4))),), "lanes are picked by 4 lanes of int64"),
    "mask of a number": ((Let(Name("m", bool_, 8), Apply("first_lanes", (ONE,), bool_, 8)),), "the number of lanes is"),
    "mask of another type": ((Let(v, Apply("first_lanes", (integer(1),), float32, 8)),), "is bool, not float32"),
    "chosen from two types": (
        (Let(f, Apply("select", (TRUE, ONE, integer(1)), float32)),), "operands of several types (float32, int64)"
    ),
    "chosen": ((Let(j, Apply("select", (TRUE, ONE, ONE), int64)),), "is float32, not int64"),
    "smallest literal": ((Let(Name("s", int32), Literal(-(2**31) - 1, int32)),), "-2147483649 is no int32"),
    "integer literal": ((Let(j, Literal(1.0)),), "1.0 is no int64"),
    "literal bool": ((If(Literal(1, bool_), ()),), "1 is no bool"),
    "no elements": ((Let(j, Misalignment("x", integer(0), 0)),), "0 elements: no power of two"),
    "misaligned somewhere": ((Let(j, Misalignment("x", ONE, 8)),), "the offset is float32, not int64"),
    "misaligned nothing": ((Let(j, Misalignment("z", integer(0), 8)),), "there is no buffer `z` here"),
    "prefetched nothing": ((Prefetch("z", integer(0)),), "there is no buffer `z` here"),
    "prefetched somewhere": ((Prefetch("x", ONE),), "the offset is float32, not int64"),
    "inputs of nothing": ((reads("z", integer(0)),), "there is no buffer `z` here"),
    "results somewhere": ((writes("y", ONE),), "the offset is float32, not int64"),
    "inputs of another type": ((replace(reads("x", integer(0)), type=float64),), "elements of `x` are not float64"),
    "inputs without a stride": ((replace(reads("x", integer(0)), strides=()),), "not one index for each stride"),
    "inputs along no axis": ((replace(reads("x", integer(0)), axis=1),), "there is no axis 1"),
    "results that move": ((replace(writes("y", integer(0)), move=(1, 2)),), "not one index for each stride"),
    "viewed somewhere": ((View("part", "y", ONE),), "the offset is float32, not int64"),
    "memory of several copies": (
        (Scratch("s", float32, integer(8), (), "SM*4"),),
        "SM*4 is a number of copies; memory that threads share is in SM",
    ),
    "size of a buffer": ((Scratch("s", float32, ONE, ()),), "the count is float32, not int64"),
    "begin": ((For(i, ONE, integer(8), integer(1), ()),), "the begin is float32, not int64"),
    "step's type": ((For(i, integer(0), integer(8), ONE, ()),), "the step is float32, not int64"),
    "index": ((For(f, integer(0), integer(8), integer(1), ()),), "the index is float32, not int64"),
    "polled": ((Poll(ONE),), "the amount is float32, not int64"),
    "count": ((Parallel(i, ONE, ()),), "the count is float32, not int64"),
    "parallel index": ((Parallel(f, integer(1), ()),), "the index is float32, not int64"),
    "loop variable assigned": ((loop(Assign(i, integer(1))),), "`i` is assigned, but is no variable"),
    "variable no more": ((Declare(f, ONE), Let(f, ONE), Assign(f, ONE)), "`f` is assigned, but is no variable"),
    "captured after its use": (
        (Declare(f, ONE), Store("y", integer(0), f), parallel(Store("y", i, f))), "uses `f`, a variable from outside"
    ),
    "captured beside an inner name": (
        (Declare(f, ONE), parallel(loop(Let(f, ONE)), Store("y", i, f))), "uses `f`, a variable from outside"
    ),
    "vector in a mask": ((Let(v, Load("x", integer(0), float32, 8, mask=ONES)),), "a condition of type float32"),
    "returned": ((Return(ONE),), "the value is float32, not int64"),
    "frame changed in parallel": ((parallel(SetArgument(1, integer(1))),), "inside a parallel loop"),
    "condition of a failure": ((Fail(ONE, 1),), "a condition of type float32"),
    "negative code": ((Fail(TRUE, -1),), "a status of -1 means that nothing failed"),
    "misalignment": ((Let(j, Misalignment("x", integer(0), 6)),), "6 elements: no power of two"),
    "step": ((For(i, integer(0), integer(8), integer(0), ()),), "the step is not positive, in `for (long i = 0;"),
    "bound": ((For(i, integer(0), ONE, integer(1), ()),), "the end is float32, not int64"),
    "condition": ((If(integer(1), ()),), "a condition of type int64"),
    "condition of a loop": ((While(integer(1), ()),), "a condition of type int64"),
    "code": ((Fail(TRUE, 0),), "a status of 0 means that nothing failed"),
    "slot": ((SetArgument(1, ONE),), "the value is float32, not int64"),
    "captured variable": (
        (Declare(f, ONE), parallel(Store("y", i, f))), "the parallel body uses `f`, a variable from outside"
    ),
    "captured vector": ((Let(v, ONES), parallel(Store("y", i, v))), "uses `v`, a vector from outside"),
    "assigned in parallel": ((Declare(f, ONE), parallel(Assign(f, ONE))), "uses `f`, a variable from outside"),
    "frame in parallel": ((parallel(Let(j, Argument(2))),), "reads the frame, which does not travel"),
    "return in parallel": ((parallel(Return(integer(1))),), "inside a parallel loop, in `return 1;`"),
    "parallel in parallel": ((parallel(Parallel(j, integer(2), ())),), "a parallel loop is inside another"),
}  # fmt: skip


@pytest.mark.parametrize("rule", BROKEN)
def test_broken_kernels(rule: str) -> None:
    body, complaint = BROKEN[rule]
    with pytest.raises(InternalError, match=re.escape(complaint)):
        verify(kernel(*body))


def test_what_a_kernel_is_as_a_whole() -> None:
    with pytest.raises(InternalError, match="does not end with a return"):
        verify(Kernel("kernel", BUFFERS, ()))
    with pytest.raises(InternalError, match="two buffers have the same name"):
        verify(Kernel("kernel", (*BUFFERS, BUFFERS[0]), (Return(integer(0)),)))
