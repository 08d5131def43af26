"""Stores to addresses that are known when the code runs: past the caches, or of runs of vectors into whole cache lines.

NumPy's arrays begin inside a line; so do the vectors of a run, unless something was done about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from jitmdh.mdh.codegen.cpu_ops import Writer

_LINE_BYTES = 64
# LLVM type: letters of the instruction that picks lanes of two vectors, as a run-time vector of numbers says.
_PERMUTE = {"float": "ps", "double": "pd", "i32": "d", "i64": "q"}
_SIZE = {"float": 4, "double": 8, "i32": 4, "i64": 8}


def realigns(type: str, lanes: int, size: int, vector_bits: int, x86: bool) -> bool:
    """Whether vectors of `lanes` elements of `size` bytes are lines, and two of them can be put together."""
    return x86 and type in _PERMUTE and lanes * size == _LINE_BYTES and vector_bits == 8 * _LINE_BYTES


def store_realigned(
    function: Writer, values: Sequence[str], begin: str, type: str, scope: str, streaming: bool = False
) -> None:
    """Each line is put together from the end of one vector and the beginning of the next: one shuffle each.

    values: LLVM operands; begin: where the first one belongs; streaming: whole lines go past the caches.
    Requires `realigns`.
    """
    size = _SIZE[type]
    lanes = _LINE_BYTES // size
    vector, numbers = f"<{lanes} x {type}>", f"<{lanes} x i{8 * size}>"
    behind = _elements_behind(function, begin, size)
    left = function.emit(f"sub i64 {lanes}, {behind}")
    line = function.emit(f"getelementptr {type}, ptr {begin}, i64 {left}")  # the first whole one
    picks = function.emit(f"add {numbers} {_spread(function, left, lanes, size)}, {_iota(lanes, size)}")
    name = f"@llvm.x86.avx512.vpermi2var.{_PERMUTE[type]}.512"
    suffix = {"float": "f32", "double": "f64"}.get(type, type)
    masked = f"@llvm.masked.store.v{lanes}{suffix}.p0"
    function.module.declarations.add(f"declare {vector} {name}({vector}, {numbers}, {vector})")
    function.module.declarations.add(f"declare void {masked}({vector}, ptr, i32, <{lanes} x i1>)")

    def ending(value: str, count: str, pointer: str, align: int) -> None:
        inside = function.emit(f"icmp ult {numbers} {_iota(lanes, size)}, {_spread(function, count, lanes, size)}")
        call = f"call void {masked}({vector} {value}, ptr {pointer}, i32 {align}, <{lanes} x i1> {inside})"
        function.do(call + scope)

    def permuted(first: str, second: str) -> str:
        return function.emit(f"call {vector} {name}({vector} {first}, {numbers} {picks}, {vector} {second})")

    ending(values[0], left, begin, size)
    past = ", !nontemporal !1" if streaming else ""
    for n, (first, second) in enumerate(pairwise(values)):
        place = function.emit(f"getelementptr {type}, ptr {line}, i64 {n * lanes}")
        function.do(f"store {vector} {permuted(first, second)}, ptr {place}, align {_LINE_BYTES}{past}{scope}")
    place = function.emit(f"getelementptr {type}, ptr {line}, i64 {(len(values) - 1) * lanes}")
    ending(permuted(values[-1], values[-1]), behind, place, _LINE_BYTES)


def store_streaming(function: Writer, value: str, address: str, aligns: tuple[int, int], scope: str) -> None:
    """Past the caches where the address allows it; the branch is predicted, the stores are what is waited for.

    value: a vector with its type; aligns: bytes that the address must be a multiple of for that, and ones that it is.
    """
    number = function.emit(f"ptrtoint ptr {address} to i64")
    low = function.emit(f"and i64 {number}, {aligns[0] - 1}")
    fits = function.emit(f"icmp eq i64 {low}, 0")
    yes, no, after = function.label("stream"), function.label("plain"), function.label("end")
    function.do(f"br i1 {fits}, label %{yes}, label %{no}")
    function.place(yes)
    function.do(f"store {value}, ptr {address}, align {aligns[0]}, !nontemporal !1{scope}")
    function.do(f"br label %{after}")
    function.place(no)
    function.do(f"store {value}, ptr {address}, align {aligns[1]}{scope}")
    function.do(f"br label %{after}")
    function.place(after)


def _elements_behind(function: Writer, pointer: str, size: int) -> str:
    """How many elements `pointer` is behind the beginning of its line."""
    address = function.emit(f"ptrtoint ptr {pointer} to i64")
    low = function.emit(f"and i64 {address}, {_LINE_BYTES - 1}")
    return function.emit(f"udiv i64 {low}, {size}")


def _spread(function: Writer, value: str, lanes: int, size: int) -> str:
    type = f"i{8 * size}"
    short = function.emit(f"trunc i64 {value} to {type}") if size < 8 else value
    vector = f"<{lanes} x {type}>"
    first = function.emit(f"insertelement {vector} poison, {type} {short}, i64 0")
    return function.emit(f"shufflevector {vector} {first}, {vector} poison, <{lanes} x i32> zeroinitializer")


def _iota(lanes: int, size: int) -> str:
    return "<" + ", ".join(f"i{8 * size} {n}" for n in range(lanes)) + ">"
