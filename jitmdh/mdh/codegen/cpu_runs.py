"""Runs of vectors into whole cache lines, where the first one begins inside a line (as NumPy's arrays do)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from jitmdh.mdh.codegen.cpu_lines import LINE, LINE_BYTES, MASK, Blocks, put

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

    values: LLVM operands; begin: where the first one belongs; waiting: lines go past the caches, and those at the ends
    wait in this table (see `cpu_lines`) for their other parts. Requires `realigns`.
    """
    size = _SIZE[type]
    lanes = LINE_BYTES // size
    vector, numbers = f"<{lanes} x {type}>", f"<{lanes} x i{8 * size}>"
    bytes_behind = _bytes_behind(function, begin)
    behind = function.emit(f"udiv i64 {bytes_behind}, {size}")
    left = function.emit(f"sub i64 {lanes}, {behind}")
    line = function.emit(f"getelementptr {type}, ptr {begin}, i64 {left}")  # the first whole one
    picks = function.emit(f"add {numbers} {_spread(function, left, lanes, size)}, {_iota(lanes, size)}")
    name = f"@llvm.x86.avx512.vpermi2var.{_PERMUTE[type]}.512"
    function.module.declarations.add(f"declare {vector} {name}({vector}, {numbers}, {vector})")

    def permuted(first: str, second: str) -> str:
        return function.emit(f"call {vector} {name}({vector} {first}, {numbers} {picks}, {vector} {second})")

    past = ", !nontemporal !1" if waiting else ""
    for n, (first, second) in enumerate(pairwise(values)):
        place = function.emit(f"getelementptr {type}, ptr {line}, i64 {n * lanes}")
        function.do(f"store {vector} {permuted(first, second)}, ptr {place}, align {LINE_BYTES}{past}{scope}")
    place = function.emit(f"getelementptr {type}, ptr {line}, i64 {(len(values) - 1) * lanes}")
    tail = permuted(values[-1], values[-1])
    if waiting is None:
        _under_mask(function, values[0], begin, type, left, scope)
        _under_mask(function, tail, place, type, behind, scope)
        return
    aligned, shared, after = function.label("aligned"), function.label("shared"), function.label("after")
    function.do(f"br i1 {function.emit(f'icmp eq i64 {behind}, 0')}, label %{aligned}, label %{shared}")
    function.place(aligned)
    function.do(f"store {vector} {values[0]}, ptr {begin}, align {LINE_BYTES}{past}{scope}")
    function.do(f"br label %{after}")
    function.place(shared)
    words = function.emit(f"udiv i64 {bytes_behind}, 4")
    before = function.emit(f"icmp ult <16 x i32> {_iota(16, 4)}, {_spread(function, words, 16, 4)}")
    inside = function.emit(f"xor {MASK} {before}, splat (i1 true)")
    head = function.emit(f"getelementptr i8, ptr {begin}, i64 {function.emit(f'sub i64 0, {bytes_behind}')}")
    for value, there, mask in ((permuted(values[0], values[0]), head, inside), (tail, place, before)):
        put(function, waiting, there, function.emit(f"bitcast {vector} {value} to {LINE}"), mask, len(values), scope)
    function.do(f"br label %{after}")
    function.place(after)


def store_streaming(function: Blocks, value: str, address: str, size: int, align: int, scope: str) -> None:
    """One vector past the caches where the address allows it; the branch is predicted, the store is waited for.

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
    inside = function.emit(f"icmp ult {numbers} {_iota(lanes, size)}, {_spread(function, count, lanes, size)}")
    function.do(f"call void {masked}({vector} {value}, ptr {place}, i32 {size}, <{lanes} x i1> {inside}){scope}")


def _bytes_behind(function: Blocks, pointer: str) -> str:
    """How far `pointer` is behind the beginning of its line."""
    address = function.emit(f"ptrtoint ptr {pointer} to i64")
    return function.emit(f"and i64 {address}, {LINE_BYTES - 1}")


def _spread(function: Blocks, value: str, lanes: int, size: int) -> str:
    type = f"i{8 * size}"
    short = function.emit(f"trunc i64 {value} to {type}") if size < 8 else value
    vector = f"<{lanes} x {type}>"
    first = function.emit(f"insertelement {vector} poison, {type} {short}, i64 0")
    return function.emit(f"shufflevector {vector} {first}, {vector} poison, <{lanes} x i32> zeroinitializer")


def _iota(lanes: int, size: int) -> str:
    return "<" + ", ".join(f"i{8 * size} {n}" for n in range(lanes)) + ">"
