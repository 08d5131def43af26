"""One broken kernel for each rule about the threads of a grid, and about stores under one mask; and what is right."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from jitmdh.base.dtype import bool_, float32, float64, int32
from jitmdh.base.errors import InternalError
from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Atomic,
    Barrier,
    CopyAhead,
    Exchange,
    Grid,
    Iota,
    Let,
    Literal,
    Load,
    MaskedStores,
    Name,
    Return,
    Scratch,
    Splat,
    Statement,
    Store,
    Thread,
    Value,
    Vote,
)
from jitmdh.mdh.kernel.verify import ATOMIC, verify
from tests.mdh.kernel.test_verify import ONE, ONES, kernel

b, f, n = Name("b"), Name("f", float32), Name("n", int32)
HERE = compare("lt", Thread(), integer(3))
FIRST = Apply("first_lanes", (integer(3),), bool_, 8)


def grid(*body: Statement) -> Statement:
    return Grid(b, integer(2), 64, (Scratch("s", float32, integer(64), body, "SM"),))


def exchanged(value: Value = ONE, source: Value | None = None, width: int = 32) -> Statement:
    return Let(f, Exchange(value, source or integer(0), width))


def copied(count: int = 4) -> CopyAhead:
    return CopyAhead("s", Thread(), "x", Thread(), count)


ADDED = Atomic("add", "y", Thread(), ONE)
STORED = Store("y", integer(0), ONES, mask=FIRST)
TWO = Store("y", integer(0), Splat(ONE, float32, 2), mask=Apply("first_lanes", (integer(1),), bool_, 2))


@pytest.mark.parametrize("width", [0, 1, 2, 16, 32, 64])
def test_groups_divide_blocks(width: int) -> None:
    verify(kernel(grid(Barrier(width), *([exchanged(width=width)] if width else []))))


def test_good_ones() -> None:
    updates = tuple(replace(ADDED, op=op) for op in ATOMIC[:3])
    copies = tuple(copied(n) for n in (1, 2, 4))
    verify(kernel(grid(*updates, *copies, Let(Name("v", bool_), Vote(HERE, 32)), exchanged(source=Thread()))))
    verify(kernel(MaskedStores((STORED, replace(STORED, offset=integer(8))))))
    verify(kernel(MaskedStores((TWO, TWO))))


BROKEN: dict[str, tuple[Statement, str]] = {
    "groups of no threads": (grid(exchanged(width=0)), "a block of 64 threads has no groups of 0"),
    "a negative width": (grid(Barrier(-1)), "a block of 64 threads has no groups of -1"),
    "no power of two": (grid(Barrier(3)), "a block of 64 threads has no groups of 3"),
    "not even a divisor": (grid(Barrier(48)), "a block of 64 threads has no groups of 48"),
    "larger than the block": (grid(Barrier(128)), "a block of 64 threads has no groups of 128"),
    "a vote of such a group": (grid(Let(Name("v", bool_), Vote(HERE, 12))), "has no groups of 12"),
    "vectors exchanged": (grid(exchanged(ONES)), "threads exchange 8 lanes of float32"),
    "exchanged with nobody": (grid(exchanged(source=ONE)), "the thread is float32, not int64"),
    "exchanged with several": (grid(exchanged(source=Iota(8))), "the thread is 8 lanes of int64, not int64"),
    "voted on a number": (grid(Let(Name("v", bool_), Vote(ONE, 32))), "a condition of type float32"),
    "no operation of memory": (grid(replace(ADDED, op="mul")), "`mul` of memory is not one step"),
    "updated somewhere": (grid(replace(ADDED, offset=ONE)), "the offset is float32, not int64"),
    "updated, only read": (grid(replace(ADDED, buffer="x")), "`x` is not to be written"),
    "updated by another type": (grid(replace(ADDED, value=Literal(1.0, float64))), "float64 is stored to `y`"),
    "before, of floats": (grid(replace(ADDED, before=f)), "is known of whole numbers that every thread updates"),
    "before, of another type": (grid(replace(ADDED, before=n)), "`n` is int32, its value float32"),
    "too few bytes": (grid(copied(0)), "0 bytes are not copied at once"),
    "twelve bytes": (grid(copied(3)), "12 bytes are not copied at once"),
    "too many bytes": (grid(copied(8)), "32 bytes are not copied at once"),
    "copied from somewhere": (grid(replace(copied(), offset=ONE)), "the offset is float32, not int64"),
    "copied to somewhere": (grid(replace(copied(), at=ONE)), "the place is float32, not int64"),
    "copied to what is only read": (grid(replace(copied(), to="x")), "`x` is not to be written"),
    "no threads": (Barrier(), "this is for threads of a grid"),
    "a copy of no threads": (CopyAhead("y", integer(0), "x", integer(0), 4), "this is for threads of a grid"),
    "one store without a mask": (MaskedStores((STORED, Store("y", integer(0), ONES))), "not stores of vectors under"),
    "a mask for a number": (
        MaskedStores((STORED, Store("y", integer(0), ONE, mask=Literal(True, bool_)))), "not stores of vectors under"
    ),
    "masks of several lengths": (MaskedStores((STORED, TWO)), "under masks of equally many lanes"),
    "no stores": (MaskedStores(()), "not stores of vectors under masks"),
    "a load among stores": (
        MaskedStores((replace(STORED, value=Load("x", integer(0), float32, 8, mask=FIRST)),)), "this reads between"
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", BROKEN)
def test_broken(rule: str) -> None:
    body, complaint = BROKEN[rule]
    with pytest.raises(InternalError, match=re.escape(complaint)):
        verify(kernel(body, Return(integer(0))))
