"""What a function keeps of its variables in memory, and what its tasks get from outside."""

from __future__ import annotations

import re

import pytest

from jitmdh.base.dtype import float32, float64, int32, int64
from jitmdh.base.errors import InternalError
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import (
    Apply,
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
    Splat,
    Statement,
    Store,
    Value,
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


@pytest.mark.parametrize("value", [integer(2), Literal(2.0, float64), Splat(Literal(2, int32), int32, 8)])
def test_a_variable_is_of_one_type(value: Value) -> None:
    """LLVM would store a shorter value, and leave the rest of the variable as it is."""
    lanes = Name("s", int64, 8)
    with pytest.raises(InternalError, match="`s` is <8 x i64>, its value "):
        text(Declare(lanes, Splat(integer(1), int64, 8)), Assign(lanes, value))


def test_a_task_gets_what_it_uses_as_it_is_there() -> None:
    """Names and buffers from outside, once each; not those that the task binds itself, at any depth."""
    inner = Parallel(T, integer(3), (Let(S, T), Store("x", T, add(N, S))))
    body = (Let(S, integer(7)), Let(N, integer(5)), Parallel(I, integer(4), (Store("x", I, N), inner)))
    arrays = re.findall(r"alloca \[(\d+) x i64\], align 64", text(*body))
    assert arrays == [str(len(["n", "x", "status"]))] * 2


@pytest.mark.parametrize(("bits", "x86", "lanes"), [(512, True, (4, 2)), (256, True, (1, 1)), (512, False, (1, 1))])
def test_one_result_of_a_function_is_one_of_a_vector_where_comparisons_give_masks(
    bits: int, x86: bool, lanes: tuple[int, int]
) -> None:
    """A comparison of single values writes a byte of a register of the round before, and waits for that."""
    for type, expected in zip((float32, float64), lanes, strict=True):
        value = Apply("log", (Literal(2.0, type),), type)
        buffers = (BufferArgument("x", type, 0),)
        found = emit([Kernel("kernel", buffers, (Store("x", integer(0), value), Return(integer(0))))], bits, x86)
        calls = re.findall(r"call .* @log_f\d\dx(\d)\(", found)
        assert [int(n) for n in calls] == [expected]
