"""Everything that kernel IR can say has a text."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from jitmdh.base.dtype import bool_, float32, float64
from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Arrived,
    Assign,
    Assume,
    Atomic,
    Barrier,
    CombineEnds,
    CombiningBuffer,
    Commit,
    CopyAhead,
    Declare,
    Exchange,
    Fail,
    Failed,
    Fence,
    Flush,
    For,
    Grid,
    If,
    InOrder,
    Iota,
    Join,
    Let,
    Literal,
    Load,
    MaskedStores,
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
    Thread,
    Threads,
    Value,
    View,
    Vote,
    While,
)
from jitmdh.mdh.kernel.printer import show_statement, value_text

i, f, v = Name("i"), Name("f", float32), Name("v", float32, 4)
mask = Apply("first_lanes", (i,), bool_, 4)

VALUES: list[tuple[Value, str]] = [
    (Literal(1.5, float32), "1.5f"),
    (Literal(True, bool_), "true"),
    (i, "i"),
    (Argument(3), "frame[3]"),
    (Apply("mul", (f, f), float32), "(f * f)"),
    (Apply("add_product", (f, f, f), float32), "(f + f * f)"),
    (Apply("cast", (v,), float64, 4), "(double4)v"),
    (Apply("select", (compare("lt", f, f), f, f), float32), "((f < f) ? f : f)"),
    (Apply("capped_mul", (i, i), i.type), "capped_mul(i, i)"),
    (mask, "first_lanes(i)"),
    (Splat(f, float32, 4), "splat4(f)"),
    (Iota(4), "iota4"),
    (Load("x", i, float32), "x[i]"),
    (Load("x", i, float32, mask=Name("m", bool_)), "(m ? x[i] : 0)"),
    (Load("x", i, float32, 4), "load4(&x[i])"),
    (Load("x", i, float32, 4, stride=i, mask=mask), "gather4(&x[i], i ? first_lanes(i))"),
    (Load("x", Iota(4), float32, 4), "gather4(x, iota4)"),
    (Shuffle(v, (2,), float32), "v[2]"),
    (Shuffle(v, (0, 2), float32), "v[0..2:2]"),
    (Shuffle(v, (3, 2, 1, 0), float32), "v[3 2 1 0]"),
    (Shuffle(v, (0, 0, 1, 1), float32), "v[0 0 1 1]"),
    (Merge(v, v, (0, 4, 1, 5)), "merge(v, v; 0 4 1 5)"),
    (Permute(v, v, Iota(4)), "permute(v, v; iota4)"),
    (Join((v, v)), "interleave(v, v)"),
    (Threads(), "threads()"),
    (Misalignment("x", i, 8), "misalignment8(&x[i])"),
    (Failed(), "(status != 0)"),
    (Thread(), "thread()"),
    (Exchange(f, i, 32), "exchange32(f, i)"),
    (Vote(compare("lt", i, i), 32), "any32(i < i)"),
]
STATEMENTS: list[tuple[Statement, str]] = [
    (Let(v, v), "const float4 v = v;"),
    (Declare(f, Literal(0.0, float32)), "float f = 0.0f;"),
    (Assign(f, f), "f = f;"),
    (Store("y", i, f), "y[i] = f;"),
    (Store("y", i, f, mask=Name("m", bool_)), "if (m) y[i] = f;"),
    (Store("y", i, v, mask=mask), "store4(&y[i], v ? first_lanes(i));"),
    (Store("y", i, v, aligned=True, streaming=True), "stream4(&y[i], v);"),
    (Store("y", i, v, stride=i), "scatter4(&y[i], i, v);"),
    (Store("y", Iota(4), v), "scatter4(y, iota4, v);"),
    (MaskedStores((Store("y", i, v, mask=mask),)), "together { …"),
    (StoreRun("y", i, (v, v)), "store_run4(&y[i], v, v);"),
    (StoreRun("y", i, (v, v), True), "stream_run4(&y[i], v, v);"),
    (StoreRun("y", i, (v, v), True, "lines"), "stream_run4(&y[i], v, v; lines);"),
    (CombiningBuffer("lines"), "write_combining_buffer lines;"),
    (CombineEnds("lines", "y", i, v, v, 3), "combine_ends(lines, &y[i], v, v; 3);"),
    (Flush("lines"), "flush(lines);"),
    (For(i, integer(0), i, integer(2), (), "L1 i"), "for (long i = 0; i < i; i += 2) {  // L1 i …"),
    (While(compare("lt", i, i), ()), "while (i < i) { …"),
    (While(mask, (), "until all lanes have left"), "while (any(first_lanes(i))) {  // until all lanes have left …"),
    (Parallel(i, integer(8), (), "COR i"), "parallel for (long i = 0; i < 8; i++) {  // COR i …"),
    (Grid(i, integer(8), 128, ()), "grid for (long i = 0; i < 8; i++) {  // 128 threads …"),
    (Grid(i, integer(8), 64, (), "COR i"), "grid for (long i = 0; i < 8; i++) {  // 64 threads, COR i …"),
    (Barrier(), "barrier();"),
    (Barrier(32), "barrier(32);"),
    (Atomic("add", "y", i, f), "atomic_add(&y[i], f);"),
    (Atomic("maximum", "y", i, f, Name("m", bool_)), "if (m) atomic_maximum(&y[i], f);"),
    (Atomic("add", "y", i, i, before=replace(i, name="n")), "const long n = atomic_add(&y[i], i);"),
    (CopyAhead("s", i, "x", i, 4), "copy_ahead(&s[i], &x[i], 4);"),
    (Commit(), "commit();"),
    (Arrived(1), "arrived(1);"),
    (If(compare("lt", i, i), ()), "if (!(i < i)) { …"),
    (If(compare("lt", v, v), (Fence(),)), "if (any(v < v)) { …"),
    (Scratch("s", float32, i, (), "L2"), "float *s = scratch(i);  // L2 …"),
    (View("part", "y", i), "auto *part = &y[i];"),
    (Fail(compare("lt", v, v), 3), "if (any(v < v)) status = 3;"),
    (SetArgument(2, i), "frame[2] = i;"),
    (Return(integer(0)), "return status;"),
    (Return(integer(4)), "return 4;"),
    (Fence(), "store_fence();"),
    (InOrder(), "loads_in_order();"),
    (Assume(Literal(True, bool_)), "assume(true);"),
    (Poll(i), "poll(i);"),
    (Prefetch("x", i), "prefetch_to_write(&x[i]);"),
    (Prefetch("x", i, write=False), "prefetch(&x[i]);"),
    (
        PrefetchInputs("x", float32, i, (i, integer(1)), ((0, -1), (1, 0)), 1, 16, ((2, 0),), True),
        "prefetch_inputs(&x[i], (i, 1), (0, -1), (1, 0); 16 along axis 1, next (2, 0));",
    ),
    (
        PrefetchInputs("x", float32, i, (integer(1),), ((0,),), 0, 8, (), False),
        "prefetch_inputs(&x[i], (1), (0,); 8 across axis 0);",
    ),
    (
        PrefetchResults("y", float32, i, (i, integer(1)), ((0, 0), (1, 0)), 8, integer(1), (0, 0)),
        "prefetch_results(&y[i], (i, 1), (0, 0), (1, 0); 8 lanes 1 apart);",
    ),
    (
        PrefetchResults("y", float32, i, (i, integer(1)), ((0, 0),), 8, i, (4, 0)),
        "prefetch_results(&y[i], (i, 1), (0, 0); 8 lanes i apart, tiles of (4, 0));",
    ),
]


@pytest.mark.parametrize(("node", "text"), VALUES, ids=[text for _, text in VALUES])
def test_values(node: Value, text: str) -> None:
    assert value_text(node) == text


@pytest.mark.parametrize(("node", "text"), STATEMENTS, ids=[text for _, text in STATEMENTS])
def test_statements(node: Statement, text: str) -> None:
    assert show_statement(node) == text


def test_all_kinds_of_nodes_are_above() -> None:
    assert {type(node) for node, _ in VALUES} == set(get_args(Value))
    assert {type(node) for node, _ in STATEMENTS} == set(get_args(Statement))
