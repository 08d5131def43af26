"""What a function keeps of its variables in memory, and what its tasks get from outside."""

from __future__ import annotations

import re

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import (
    Assign,
    BufferArgument,
    Declare,
    For,
    Kernel,
    Let,
    Literal,
    Name,
    Parallel,
    Return,
    Statement,
    Store,
)
from jitmdh.mdh.targets.llvm.emitter import emit

I, N, S, T = (Name(name, int64) for name in "inst")


def text(*body: Statement) -> str:
    buffers = tuple(BufferArgument(name, int64, slot) for slot, name in enumerate("xy"))
    return emit([Kernel("kernel", buffers, (*body, Return(Literal(0, int64))))], 512)


def test_a_block_stores_a_variable_once() -> None:
    rounds = For(I, integer(0), integer(9), integer(1), (*[Assign(S, add(S, I))] * 5, Store("x", I, S)))
    found = text(Declare(S, integer(1)), Assign(S, integer(2)), rounds, Store("y", integer(0), S))
    slot = re.findall(r"(%s\.\d+) = alloca i64", found)
    assert len(slot) == 1
    assert found.count(f", ptr {slot[0]}") == len(["2 before", "read in a round", "stored in a round", "read behind"])


def test_a_task_gets_what_it_uses_as_it_is_there() -> None:
    """Names and buffers from outside, once each; not those that the task binds itself, at any depth."""
    inner = Parallel(T, integer(3), (Let(S, T), Store("x", T, add(N, S))))
    body = (Let(S, integer(7)), Let(N, integer(5)), Parallel(I, integer(4), (Store("x", I, N), inner)))
    arrays = re.findall(r"alloca \[(\d+) x i64\], align 64", text(*body))
    assert arrays == [str(len(["n", "x", "status"]))] * 2
