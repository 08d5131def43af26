"""Runs of vectors into whole cache lines, where the first one begins inside a line (as NumPy's arrays do)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from jitmdh.mdh.targets.llvm.write_combining import LINE, LINE_BYTES, Blocks, iota, share, spread

# LLVM type: letters of the instruction that picks lanes of two vectors, as a run-time vector of numbers says.
_PERMUTE = {"float": "ps", "double": "pd", "i32": "d", "i64": "q"}
_SIZE = {"float": 4, "double": 8, "i32": 4, "i64": 8}


def realigns(type: str, lanes: int, size: int, vector_bits: int, x86: bool) -> bool:
    """Whether vectors of `lanes` elements of `size` bytes are lines, and two of them can be put together."""
    return x86 and type in _PERMUTE and lanes * size == LINE_BYTES and vector_bits == 8 * LINE_BYTES


def store_realigned(
    function: Blocks, values: Sequence[str], begin: str, type: str, scope: str, waiting: str | None = None
) -> None:
    """Each line is put together from the end of one vector and the beginning of the next: one shuffle each.

    values: LLVM operands; begin: where the first one belongs; waiting: lines are stored non-temporally, and those at
    the ends wait in this table (see `write_combining`) for their other parts. Requires `realigns`.
    """
    size = _SIZE[type]
    lanes = LINE_BYTES // size
    vector, numbers = f"<{lanes} x {type}>", f"<{lanes} x i{8 * size}>"
    address = function.emit(f"ptrtoint ptr {begin} to i64")
    bytes_behind = function.emit(f"and i64 {address}, {LINE_BYTES - 1}")
    behind = function.emit(f"udiv i64 {bytes_behind}, {size}")
    left = function.emit(f"sub i64 {lanes}, {behind}")
    line = function.emit(f"getelementptr {type}, ptr {begin}, i64 {left}")  # the first whole one
    picks = function.emit(f"add {numbers} {spread(function, left, lanes, size)}, {iota(lanes, size)}")
    name = f"@llvm.x86.avx512.vpermi2var.{_PERMUTE[type]}.512"
    function.module.declarations.add(f"declare {vector} {name}({vector}, {numbers}, {vector})")

    def permuted(first: str, second: str) -> str:
        return function.emit(f"call {vector} {name}({vector} {first}, {numbers} {picks}, {vector} {second})")

    past = ", !nontemporal !1" if waiting else ""
    for n, (first, second) in enumerate(pairwise(values)):
        place = function.emit(f"getelementptr {type}, ptr {line}, i64 {n * lanes}") if n else line
        function.do(f"store {vector} {permuted(first, second)}, ptr {place}, align {LINE_BYTES}{past}{scope}")
    tail = permuted(values[-1], values[-1])
    if waiting is None:
        place = function.emit(f"getelementptr {type}, ptr {line}, i64 {(len(values) - 1) * lanes}")
        _under_mask(function, values[0], begin, type, left, scope)
        _under_mask(function, tail, place, type, behind, scope)
        return
    head = permuted(values[0], values[0])
    words = [function.emit(f"bitcast {vector} {value} to {LINE}") for value in (head, tail)]
    share(function, waiting, address, words[0], words[1], len(values))


def store_streaming(function: Blocks, value: str, address: str, size: int, align: int, scope: str) -> None:
    """One vector by a non-temporal store where the address allows it; the branch is predicted, the store is waited for.

    value: with its type; size: bytes of it; align: bytes that the address is known to be a multiple of.
    """
    low = function.emit(f"and i64 {function.emit(f'ptrtoint ptr {address} to i64')}, {size - 1}")
    fits = function.emit(f"icmp eq i64 {low}, 0")
    yes, no, after = function.label("stream"), function.label("plain"), function.label("end")
    function.do(f"br i1 {fits}, label %{yes}, label %{no}")
    function.place(yes)
    function.do(f"store {value}, ptr {address}, align {size}, !nontemporal !1{scope}")
    function.do(f"br label %{after}")
    function.place(no)
    function.do(f"store {value}, ptr {address}, align {align}{scope}")
    function.do(f"br label %{after}")
    function.place(after)


def _under_mask(function: Blocks, value: str, place: str, type: str, count: str, scope: str) -> None:
    """The first `count` elements of a vector."""
    size = _SIZE[type]
    lanes = LINE_BYTES // size
    vector, numbers = f"<{lanes} x {type}>", f"<{lanes} x i{8 * size}>"
    suffix = {"float": "f32", "double": "f64"}.get(type, type)
    masked = f"@llvm.masked.store.v{lanes}{suffix}.p0"
    function.module.declarations.add(f"declare void {masked}({vector}, ptr, i32, <{lanes} x i1>)")
    inside = function.emit(f"icmp ult {numbers} {iota(lanes, size)}, {spread(function, count, lanes, size)}")
    function.do(f"call void {masked}({vector} {value}, ptr {place}, i32 {size}, <{lanes} x i1> {inside}){scope}")
