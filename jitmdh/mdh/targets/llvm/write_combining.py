"""Write-combining buffers in LLVM IR: tables of cache lines on the stack, and the functions that fill and flush them.

A line that is not completed (at the ends of an array, or where another one needs its place in the table) is written
under a mask: no byte is written that is not in a run.
"""

from __future__ import annotations

from typing import Protocol

from jitmdh.mdh.targets.llvm.instructions.spelling import Declarations, InstructionEmitter
from jitmdh.mdh.targets.llvm.lines import Line

LINE_BYTES, _WORD_BYTES = 64, 4
_SLOTS = 128
# Behind the lines: their addresses (0: none), then which of their words are there.
_ADDRESSES = _SLOTS * LINE_BYTES
_MASKS = _ADDRESSES + 8 * _SLOTS
_BYTES = _MASKS + 2 * _SLOTS
LINE, MASK = "<16 x i32>", "<16 x i1>"
_STORE = f"void @llvm.masked.store.v16i32.p0({LINE}, ptr, i32, {MASK})"
_COMPLETE, _SHARE = "complete_lines", "share_lines"
_KEEPING = "intel_ocl_bicc"  # zmm16 to zmm31 are the callee's to save; the other vectors come in zmm0 and so on


class Blocks(InstructionEmitter, Protocol):
    """The function in the making, in several blocks."""

    entry: list[Line]

    def fresh(self, hint: str = "v") -> str: ...
    def label(self, hint: str) -> str: ...
    def place(self, label: str) -> None: ...


def table(function: Blocks) -> str:
    """An empty table on the function's stack."""
    name = function.fresh("lines")
    function.entry.append(f"  {name} = alloca [{_BYTES} x i8], align {LINE_BYTES}")
    addresses = function.fresh("addresses")
    function.entry.append(f"  {addresses} = getelementptr i8, ptr {name}, i64 {_ADDRESSES}")
    function.entry.append(f"  store <{_SLOTS} x i64> zeroinitializer, ptr {addresses}, align {LINE_BYTES}")
    return name


def combine_ends(function: Blocks, table: str, begin: str, head: str, tail: str, lines: int) -> None:
    """`CombineEnds` from the pointer `begin` on; the ends come with their types."""
    if not any(f"@{_SHARE}(" in text for text in function.module.functions):
        function.module.functions.append(_sharing(function.module))
    shift = (LINE_BYTES * lines).bit_length() - 1  # lines that are usually shared next to each other differ in slots
    address = function.emit(f"ptrtoint ptr {begin} to i64")
    words = [function.emit(f"bitcast {end} to {LINE}") for end in (head, tail)]
    function.do(
        f"call {_KEEPING} {LINE} @{_SHARE}(i64 {address}, ptr {table}, i64 {LINE_BYTES * lines}, i64 {shift}, "
        f"{LINE} {words[0]}, {LINE} {words[1]})"
    )


def _sharing(module: Declarations) -> str:
    function = _Body(module)
    behind = function.emit(f"and i64 %begin, {LINE_BYTES - 1}")
    first = function.emit(f"sub i64 %begin, {behind}")
    last = function.emit(f"add i64 {first}, %bytes")
    words = function.emit(f"trunc i64 {function.emit(f'udiv i64 {behind}, {_WORD_BYTES}')} to i16")
    before = function.emit(f"sub i16 {function.emit(f'shl i16 1, {words}')}, 1")
    inside = function.emit(f"xor i16 {before}, -1")
    aligned, shared = function.label("aligned"), function.label("shared")
    _branch(function, f"eq i64 {behind}, 0", aligned, shared)
    function.place(aligned)
    _past(function, "%head", first)
    function.do(f"ret {LINE} poison")
    function.place(shared)
    _put(function, first, "%head", inside)
    _put(function, last, "%tail", before)
    function.do(f"ret {LINE} poison")
    parameters = f"i64 %begin, ptr %table, i64 %bytes, i64 %shift, {LINE} %head, {LINE} %tail"
    text = "\n".join(function.lines)
    return f"define internal {_KEEPING} {LINE} @{_SHARE}({parameters}) noinline #0 {{\n{text}\n}}"


def _put(function: Blocks, address: str, part: str, bits_of_part: str) -> None:
    """The words of `part` in a mask, an i16, belong to the line at `address`."""
    slot = function.emit(f"and i64 {function.emit(f'lshr i64 {address}, %shift')}, {_SLOTS - 1}")
    holder, kept, bits = _slot(function, "%table", slot)
    held = function.emit(f"load i64, ptr {holder}")
    same = function.emit(f"icmp eq i64 {held}, {address}")
    there = function.emit(f"load i16, ptr {bits}")
    before = function.emit(f"select i1 {same}, i16 {there}, i16 0")
    both = function.emit(f"or i16 {before}, {bits_of_part}")
    rest = function.emit(f"load {LINE}, ptr {kept}, align {LINE_BYTES}")
    mask = function.emit(f"bitcast i16 {bits_of_part} to {MASK}")
    joined = function.emit(f"select {MASK} {mask}, {LINE} {part}, {LINE} {rest}")
    full, open, other, take, after = (function.label(n) for n in ("full", "open", "other", "take", "after"))
    _branch(function, f"eq i16 {both}, -1", full, open)
    function.place(full)
    _past(function, joined, address)
    function.do(f"store i64 0, ptr {holder}")
    function.do(f"br label %{after}")
    function.place(open)
    free = function.emit(f"icmp eq i64 {held}, 0")
    function.do(f"br i1 {function.emit(f'or i1 {free}, {same}')}, label %{take}, label %{other}")
    function.place(other)
    _store(function, rest, function.emit(f"inttoptr i64 {held} to ptr"), there)
    function.do(f"br label %{take}")
    function.place(take)
    function.do(f"store i64 {address}, ptr {holder}")
    function.do(f"store {LINE} {joined}, ptr {kept}, align {LINE_BYTES}")
    function.do(f"store i16 {both}, ptr {bits}")
    function.do(f"br label %{after}")
    function.place(after)


def complete(function: Blocks, table: str) -> None:
    """Write what still waits."""
    if not any(f"@{_COMPLETE}(" in text for text in function.module.functions):
        body = _Body(function.module)
        _complete(body)
        text = "\n".join(body.lines)
        function.module.functions.append(f"define internal void @{_COMPLETE}(ptr %table) noinline #0 {{\n{text}\n}}")
    function.do(f"call void @{_COMPLETE}(ptr {table})")


def _complete(function: Blocks) -> None:
    before, loop, write, after, end = (function.label(n) for n in ("before", "loop", "write", "after", "end"))
    slot, following = function.fresh("slot"), function.fresh("next")
    function.place(before)
    function.do(f"br label %{loop}")
    function.place(loop)
    function.do(f"{slot} = phi i64 [ 0, %{before} ], [ {following}, %{after} ]")
    holder, kept, bits = _slot(function, "%table", slot)
    held = function.emit(f"load i64, ptr {holder}")
    _branch(function, f"eq i64 {held}, 0", after, write)
    function.place(write)
    value = function.emit(f"load {LINE}, ptr {kept}, align {LINE_BYTES}")
    _store(function, value, function.emit(f"inttoptr i64 {held} to ptr"), function.emit(f"load i16, ptr {bits}"))
    function.do(f"store i64 0, ptr {holder}")
    function.do(f"br label %{after}")
    function.place(after)
    function.do(f"{following} = add i64 {slot}, 1")
    _branch(function, f"ult i64 {following}, {_SLOTS}", loop, end)
    function.place(end)
    function.do("ret void")


def _slot(function: Blocks, table: str, slot: str) -> tuple[str, str, str]:
    """Pointers to the address of a slot's line, to what there is of it, and to which words these are."""
    addresses = function.emit(f"getelementptr i8, ptr {table}, i64 {_ADDRESSES}")
    masks = function.emit(f"getelementptr i8, ptr {table}, i64 {_MASKS}")
    return (
        function.emit(f"getelementptr i64, ptr {addresses}, i64 {slot}"),
        function.emit(f"getelementptr [{LINE_BYTES} x i8], ptr {table}, i64 {slot}"),
        function.emit(f"getelementptr i16, ptr {masks}, i64 {slot}"),
    )


def _past(function: Blocks, value: str, address: str) -> None:
    """A whole line, by non-temporal stores."""
    line = function.emit(f"inttoptr i64 {address} to ptr")
    function.do(f"store {LINE} {value}, ptr {line}, align {LINE_BYTES}, !nontemporal !1")


def _store(function: Blocks, value: str, line: str, bits: str) -> None:
    function.module.declarations.add(f"declare {_STORE}")
    mask = function.emit(f"bitcast i16 {bits} to {MASK}")
    name = _STORE.partition("(")[0]
    function.do(f"call {name}({LINE} {value}, ptr {line}, i32 {LINE_BYTES}, {MASK} {mask})")


def _branch(function: Blocks, condition: str, then: str, otherwise: str) -> None:
    function.do(f"br i1 {function.emit(f'icmp {condition}')}, label %{then}, label %{otherwise}")


class _Body:
    """A function of the module that is no kernel's."""

    def __init__(self, module: Declarations) -> None:
        self._module = module
        self.entry: list[Line] = []
        self.lines: list[str] = []
        self.counter = 0
        self.branchless = False

    @property
    def module(self) -> Declarations:
        return self._module

    def fresh(self, hint: str = "v") -> str:
        self.counter += 1
        return f"%{hint}.{self.counter}"

    def emit(self, text: str, hint: str = "v") -> str:
        name = self.fresh(hint)
        self.do(f"{name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, hint: str) -> str:
        return self.fresh(hint)[1:]

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")
