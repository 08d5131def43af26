"""Vectors of which only the first lanes are in memory, where no fast instruction loads or stores those alone.

LLVM moves them lane by lane, each behind a jump. Loaded is the whole vector instead, if it lies in one page, which is
there if its first lane is; of a vector that is stored, the half that is in memory as a whole, then half of the rest:

    store8(&x[i] ? first_lanes(n))   →   n ≥ 8: all;   n & 4: 4 lanes;   n & 2: 2 lanes;   n & 1: 1 lane

On one core of an EPYC (Zen 3) the last 15 of 32 bytes take 4 cycles instead of 20, and so do 7 of 8 floats, for which
there is an instruction, instead of 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from jitmdh.mdh.targets.llvm.instructions.spelling import InstructionEmitter

_PAGE = 4096  # or more
_RARE = ", !prof !2"
_COPY = "copy_bytes"
_COPYING = f"""define internal void @{_COPY}(ptr %to, ptr %from, i64 %count) noinline #1 {{
entry:
  br label %more
more:
  %i = phi i64 [ 0, %entry ], [ %next, %copied ]
  %some = icmp ult i64 %i, %count
  br i1 %some, label %copied, label %done
copied:
  %source = getelementptr i8, ptr %from, i64 %i
  %byte = load volatile i8, ptr %source
  %target = getelementptr i8, ptr %to, i64 %i
  store volatile i8 %byte, ptr %target
  %next = add i64 %i, 1
  br label %more
done:
  ret void
}}"""
LARGEST_BYTES = 64
"""Of a vector. So many follow each buffer on the stack, whose size LLVM knows: loads of whole vectors go beyond it."""


class BlockEmitter(InstructionEmitter, Protocol):
    """The function in the making, in several blocks. here: the present one."""

    here: str

    def label(self, hint: str) -> str: ...
    def place(self, label: str) -> None: ...


def load_few(f: BlockEmitter, pointer: str, type: str, lanes: int, count: int, tail: str) -> str:
    """The first `count` lanes; zeros behind. tail: alignment and scopes."""
    vector = f"<{lanes} x {type}>"
    if count <= 0:
        return "zeroinitializer"
    if count >= lanes:
        return f.emit(f"load {vector}, ptr {pointer}{tail}")
    most = 1 << (count.bit_length() - 1)  # two loads, the second to the last element there is
    few = f"<{most} x {type}>"
    loaded = f.emit(f"load {few}, ptr {pointer}{tail}")
    if most == count:
        picks = [min(n, count) for n in range(lanes)]
        return f.emit(f"shufflevector {few} {loaded}, {few} zeroinitializer, {_order(picks)}")
    last = f.emit(f"load {few}, ptr {f.emit(f'getelementptr {type}, ptr {pointer}, i64 {count - most}')}{tail}")
    picks = [n if n < most else most - count + n + most for n in range(count)]
    both = f.emit(f"shufflevector {few} {loaded}, {few} {last}, {_order([*picks, *[0] * (2 * most - count)])}")
    wide, picks = f"<{2 * most} x {type}>", [min(n, 2 * most) if n < count else 2 * most for n in range(lanes)]
    return f.emit(f"shufflevector {wide} {both}, {wide} zeroinitializer, {_order(picks)}")


def store_few(f: BlockEmitter, value: str, pointer: str, type: str, lanes: int, count: int, tail: str) -> None:
    """The first `count` lanes. tail: alignment and scopes."""
    if count >= lanes:
        f.do(f"store <{lanes} x {type}> {value}, ptr {pointer}{tail}")
    elif count > 0:
        most = 1 << (count.bit_length() - 1)
        f.do(f"store <{most} x {type}> {_part(f, value, type, lanes, 0, most)}, ptr {pointer}{tail}")
        if most < count:
            behind = f.emit(f"getelementptr {type}, ptr {pointer}, i64 {count - most}")
            f.do(f"store <{most} x {type}> {_part(f, value, type, lanes, count - most, most)}, ptr {behind}{tail}")


def load_first(
    f: BlockEmitter, room: str, pointer: str, type: str, lanes: int, size: int, count: str, tail: str
) -> str:
    """A vector whose first `count` lanes, an i64, are those in memory. size: bytes of a lane; room: on the stack, for
    a vector."""
    if not any(f"@{_COPY}(" in text for text in f.module.functions):
        f.module.functions.append(_COPYING)
    f.module.declarations.add("declare i64 @llvm.smin.i64(i64, i64)")
    some = f.emit(f"icmp sgt i64 {count}, 0")
    near = f.emit(f"select i1 {some}, ptr {pointer}, ptr @zero")  # where there is nothing, there may be no memory
    torn, whole, before = f.label("torn"), f.label("whole"), f.here
    begin = f.emit(f"and i64 {f.emit(f'ptrtoint ptr {near} to i64')}, {_PAGE - 1}")
    ends = f.emit(f"icmp ugt i64 {begin}, {_PAGE - lanes * size}")
    f.do(f"br i1 {ends}, label %{torn}, label %{whole}{_RARE}")
    f.place(torn)
    most = f.emit(f"call i64 @llvm.smin.i64(i64 {count}, i64 {lanes})")
    f.do(f"call void @{_COPY}(ptr {room}, ptr {pointer}, i64 {f.emit(f'mul i64 {most}, {size}')}) #1")
    f.do(f"br label %{whole}")
    f.place(whole)
    source = f.emit(f"phi ptr [ {near}, %{before} ], [ {room}, %{torn} ]")
    return f.emit(f"load <{lanes} x {type}>, ptr {source}{tail}")


class StoredVector(NamedTuple):
    """Where a vector is stored. tail: alignment and scopes."""

    value: str
    pointer: str
    type: str
    tail: str


def store_first(f: BlockEmitter, targets: Sequence[StoredVector], lanes: int, count: str) -> None:
    """The first `count` lanes of each, an i64; none if it is not positive. One jump serves all: results that wait in
    registers would be moved about before each."""
    whole, few, end = f.label("whole"), f.label("few"), f.label("end")
    f.do(f"br i1 {f.emit(f'icmp sge i64 {count}, {lanes}')}, label %{whole}, label %{few}")
    f.place(whole)
    for value, pointer, type, tail in targets:
        f.do(f"store <{lanes} x {type}> {value}, ptr {pointer}{tail}")
    f.do(f"br label %{end}")
    f.place(few)
    f.module.declarations.add("declare i64 @llvm.smax.i64(i64, i64)")
    left = f.emit(f"call i64 @llvm.smax.i64(i64 {count}, i64 0)")
    while lanes > 1:
        half = lanes // 2
        part, after, before = f.label("part"), f.label("after"), f.here
        bit = f.emit(f"and i64 {left}, {half}")
        lows = [_part(f, t.value, t.type, lanes, 0, half) for t in targets]
        f.do(f"br i1 {f.emit(f'icmp eq i64 {bit}, 0')}, label %{after}, label %{part}")
        f.place(part)
        behind = []
        for low, t in zip(lows, targets):
            f.do(f"store <{half} x {t.type}> {low}, ptr {t.pointer}{t.tail}")
            high = _part(f, t.value, t.type, lanes, half, half)
            behind.append((high, f.emit(f"getelementptr {t.type}, ptr {t.pointer}, i64 {half}")))
        f.do(f"br label %{after}")
        f.place(after)
        targets = [
            StoredVector(
                f.emit(f"phi <{half} x {t.type}> [ {low}, %{before} ], [ {high}, %{part} ]"),
                f.emit(f"phi ptr [ {t.pointer}, %{before} ], [ {next}, %{part} ]"),
                *t[2:],
            )
            for low, (high, next), t in zip(lows, behind, targets)
        ]
        lanes = half
    f.do(f"br label %{end}")
    f.place(end)


def _part(f: BlockEmitter, value: str, type: str, lanes: int, first: int, count: int) -> str:
    vector = f"<{lanes} x {type}>"
    return f.emit(f"shufflevector {vector} {value}, {vector} poison, {_order([first + n for n in range(count)])}")


def _order(picks: list[int]) -> str:
    return f"<{len(picks)} x i32> <{', '.join(f'i32 {n}' for n in picks)}>"
