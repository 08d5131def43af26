"""Loads, stores and addresses of elements in LLVM IR.

What holds for all lanes of a mask or for none decides where a vector is loaded, and whether one is stored: where there
is nothing, memory may not be mapped, and processors find that out by microcode if they are given a mask of no lanes,
which takes 300 ns (Zen 4).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.source import Loc
from jitmdh.mdh.kernel.arithmetic import integer, multiply
from jitmdh.mdh.kernel.ir import (
    Apply,
    Iota,
    Literal,
    Load,
    MaskedStores,
    Misalignment,
    Name,
    Prefetch,
    Splat,
    Store,
    Value,
)
from jitmdh.mdh.targets.llvm.instructions.first_lanes import (
    LARGEST_BYTES,
    BlockEmitter,
    StoredVector,
    load_few,
    load_first,
    store_few,
    store_first,
)
from jitmdh.mdh.targets.llvm.instructions.intrinsics import prefetch
from jitmdh.mdh.targets.llvm.lines import Line
from jitmdh.mdh.targets.llvm.types.names import memory_type, vector_type

ZERO_BYTES = 64
"""Of the constant `@zero`."""
_WORD_BYTES = 4
"""Of the smallest elements that an instruction gathers."""


class AccessEmitter(BlockEmitter, Protocol):
    """The function in the making. pointers, types: of its buffers, and of their elements."""

    entry: list[Line]
    pointers: dict[str, str]
    types: dict[str, ScalarType]

    def fresh(self, hint: str = "v") -> str: ...
    def value(self, node: Value) -> str: ...
    def type(self, node: Value) -> str: ...
    def scope(self, buffer: str) -> str: ...
    def at(self, loc: Loc | None) -> None: ...


class LlvmAccesses:
    """Spells accesses of one function.

    counts: how many lanes there are in masks of first lanes; alike: what is the same for all lanes of masks; steps: how
    far lanes are apart; by the names of masks and offsets. room: on the stack, for a vector.
    """

    def __init__(self, function: AccessEmitter) -> None:
        self.f = function
        self.room = ""
        self.counts: dict[str, str] = {}
        self.alike: dict[str, list[str]] = {}
        self.steps: dict[str, Value] = {}

    def note(self, name: str, value: Value) -> None:
        """What accesses want to know of the vector that has this name."""
        self.alike[name] = self._alike(value) if value.type == bool_ else []
        if isinstance(value, Name):
            for known in (self.counts, self.steps):
                if value.name in known:
                    known[name] = known[value.name]  # type: ignore[assignment]
        elif isinstance(value, Apply) and value.op == "first_lanes":
            if not self.f.module.has_masks:
                self.counts[name] = self.f.value(value.operands[0])
        elif (step := stride_of(value)) is not None:
            self.steps[name] = step

    def address(self, buffer: str, offset: Value) -> str:
        """A pointer: to the first part of a sum, then from there."""
        if _is(offset, 0):
            return self.f.pointers[buffer]
        if isinstance(offset, Apply) and offset.op == "add":
            common, step = offset.operands
            if isinstance(step, Literal) or isinstance(common, Name):
                return self.behind(buffer, self.address(buffer, common), self.f.value(step))
        return self.behind(buffer, self.f.pointers[buffer], self.f.value(offset))

    def behind(self, buffer: str, pointer: str, step: str) -> str:
        """Not `inbounds`: what neighbours have in common may lie before the first element."""
        type = memory_type(self.f.types[buffer])
        return self.f.emit(f"getelementptr {type}, ptr {pointer}, i64 {step}")

    def lane_addresses(self, buffer: str, offset: Value, stride: Value, lanes: int) -> str:
        type = memory_type(self.f.types[buffer])
        if offset.lanes > 1:
            return self.f.emit(
                f"getelementptr {type}, ptr {self.f.pointers[buffer]}, <{lanes} x i64> {self.f.value(offset)}"
            )
        steps = self.f.value(Apply("mul", (Iota(lanes), Splat(stride, stride.type, lanes)), stride.type, lanes))
        base = self.address(buffer, offset)
        return self.f.emit(f"getelementptr {type}, ptr {base}, <{lanes} x i64> {steps}")

    def misalignment(self, node: Misalignment) -> str:
        size = self.f.types[node.buffer].size_bytes
        address = self.f.emit(f"ptrtoint ptr {self.address(node.buffer, node.offset)} to i64")
        behind = self.f.emit(f"and i64 {address}, {node.count * size - 1}")
        return self.f.emit(f"udiv exact i64 {behind}, {size}")

    def prefetch(self, node: Prefetch) -> None:
        type, pointer = memory_type(self.f.types[node.buffer]), self.f.pointers[node.buffer]
        address = self.f.emit(f"getelementptr {type}, ptr {pointer}, i64 {self.f.value(node.offset)}")
        prefetch(self.f, address, node.write)

    def load(self, node: Load) -> str:
        self.f.at(node.loc)
        type, scope = memory_type(node.type), self.f.scope(node.buffer)
        align = node.type.size_bytes
        if node.lanes == 1:
            address = self.address(node.buffer, node.offset)
            if node.mask is not None:
                address = self.f.emit(f"select i1 {self.f.value(node.mask)}, ptr {address}, ptr @zero")
                scope = ""
            raw = self.f.emit(f"load {type}, ptr {address}, align {align}{scope}")
        else:
            raw = self._load_vector(node, type, align, scope)
        if node.type == bool_:
            return self.f.emit(f"icmp ne {vector_type(type, node.lanes)} {raw}, zeroinitializer"
                             if node.lanes > 1 else f"icmp ne {type} {raw}, 0")  # fmt: skip
        return raw

    def _load_vector(self, node: Load, type: str, align: int, scope: str) -> str:
        lanes, vector = node.lanes, vector_type(type, node.lanes)
        mask = self.f.value(node.mask) if node.mask is not None else "splat (i1 true)"
        suffix = f"v{lanes}{_suffix(type)}"
        if _is(node.stride, 1) and node.offset.lanes == 1:
            address = self.address(node.buffer, node.offset)
            if node.mask is None:
                return self.f.emit(f"load {vector}, ptr {address}, align {align}{scope}")
            tail = f", align {align}{scope}"
            if alike := self._alike(node.mask):
                address = self.f.emit(f"select i1 {self._all(alike)}, ptr {address}, ptr @zero")
                if isinstance(node.mask, Splat) and lanes * align <= ZERO_BYTES:  # there, all lanes are 0
                    return self.f.emit(f"load {vector}, ptr {address}{tail}")
            if (count := self._first_lanes(node.mask, lanes)) is not None:
                if _is_number(count):
                    return load_few(self.f, address, type, lanes, int(count), tail)
                if align < self.f.module.masked_bytes and lanes * align <= LARGEST_BYTES:
                    found = load_first(self.f, self._room(), address, type, lanes, align, count, tail)
                    return self.f.emit(f"select <{lanes} x i1> {mask}, {vector} {found}, {vector} zeroinitializer")
            call = f"@llvm.masked.load.{suffix}.p0"
            self.f.module.declarations.add(f"declare {vector} {call}(ptr, i32, <{lanes} x i1>, {vector})")
            return self.f.emit(
                f"call {vector} {call}(ptr {address}, i32 {align}, <{lanes} x i1> {mask}, "
                f"{vector} zeroinitializer){scope}"
            )
        if (apart := self._apart(node)) is not None:
            return self._one_by_one(node, *apart, type, f", align {align}", scope)
        addresses = self.lane_addresses(node.buffer, node.offset, node.stride, lanes)
        if align < _WORD_BYTES and self.f.module.has_masks:
            return self._gather_from_words(addresses, lanes, vector, mask, scope)
        return self._gather(addresses, lanes, type, align, mask, scope)

    def _apart(self, node: Load | Store) -> tuple[str, Value] | None:
        """The address of the first lane and how far the next one is, where each is accessed alone; None: they are not.

        Without a good instruction for it, each takes longer out of a vector of addresses than what is done there.
        """
        if self.f.module.gathers:
            return None
        if node.offset.lanes == 1:
            return self.address(node.buffer, node.offset), node.stride
        step = self.steps.get(node.offset.name) if isinstance(node.offset, Name) else stride_of(node.offset)
        return None if step is None else (self.f.pointers[node.buffer], step)

    def _one_by_one(self, node: Load, first: str, stride: Value, type: str, align: str, scope: str) -> str:
        """Lanes outside of the mask are loaded from somewhere else."""
        lanes, mask, vector = node.lanes, "", vector_type(type, node.lanes)
        count = None if node.mask is None else self._first_lanes(node.mask, lanes)
        if count is not None and _is_number(count):
            lanes = min(lanes, int(count))
        elif node.mask is not None:
            mask = self.f.value(node.mask)
        result = "poison" if node.mask is None or mask else "zeroinitializer"
        for lane in range(lanes):
            at, from_there = self._lane(node.buffer, first, stride, lane), scope
            if mask:
                held = f"<{lanes} x i1> {mask}, i64 {lane}"
                inside = f"icmp sgt i64 {count}, {lane}" if count is not None else f"extractelement {held}"
                at, from_there = self.f.emit(f"select i1 {self.f.emit(inside)}, ptr {at}, ptr @zero"), ""
            one = self.f.emit(f"load {type}, ptr {at}{align}{from_there}")
            result = self.f.emit(f"insertelement {vector} {result}, {type} {one}, i64 {lane}")
        return result

    def _lane(self, buffer: str, first: str, stride: Value, lane: int) -> str:
        """The address of a lane."""
        return self.behind(buffer, first, self.f.value(multiply(stride, integer(lane)))) if lane else first

    def _gather(self, addresses: str, lanes: int, type: str, align: int, mask: str, scope: str = "") -> str:
        vector = vector_type(type, lanes)
        call = f"@llvm.masked.gather.v{lanes}{_suffix(type)}.v{lanes}p0"
        self.f.module.declarations.add(f"declare {vector} {call}(<{lanes} x ptr>, i32, <{lanes} x i1>, {vector})")
        return self.f.emit(
            f"call {vector} {call}(<{lanes} x ptr> {addresses}, i32 {align}, <{lanes} x i1> {mask}, "
            f"{vector} zeroinitializer){scope}"
        )

    def _gather_from_words(self, addresses: str, lanes: int, vector: str, mask: str, scope: str) -> str:
        """Elements of one or two bytes, for which there is no instruction: the aligned words of four bytes that they
        are in, which are in the same pages, and from each its part. What else is in a word is not looked at."""
        pointers, numbers, words = f"<{lanes} x ptr>", f"<{lanes} x i64>", f"<{lanes} x i32>"
        call = f"@llvm.ptrmask.v{lanes}p0.v{lanes}i64"
        self.f.module.declarations.add(f"declare {pointers} {call}({pointers}, {numbers})")
        aligned = self.f.emit(f"call {pointers} {call}({pointers} {addresses}, {numbers} splat (i64 {-_WORD_BYTES}))")
        found = self._gather(aligned, lanes, "i32", _WORD_BYTES, mask, scope)
        places = self.f.emit(f"ptrtoint {pointers} {addresses} to {numbers}")
        bits = self.f.emit(f"shl {numbers} {places}, splat (i64 3)")
        low = self.f.emit(f"trunc {numbers} {bits} to {words}")
        shift = self.f.emit(f"and {words} {low}, splat (i32 {8 * _WORD_BYTES - 1})")
        part = self.f.emit(f"lshr {words} {found}, {shift}")
        return self.f.emit(f"trunc {words} {part} to {vector}")

    def store(self, node: Store) -> None:
        type, scope = memory_type(self.f.types[node.buffer]), self.f.scope(node.buffer)
        lanes, align = node.value.lanes, self.f.types[node.buffer].size_bytes
        value = self._in_memory(node)
        if lanes > 1:
            self._store_where_any(node, value, type, lanes, align, scope)
            return
        if node.mask is None:
            self.f.do(f"store {type} {value}, ptr {self.address(node.buffer, node.offset)}, align {align}{scope}")
            return
        then, after = self.f.label("then"), self.f.label("end")
        self.f.do(f"br i1 {self.f.value(node.mask)}, label %{then}, label %{after}")
        self.f.place(then)
        self.f.do(f"store {type} {value}, ptr {self.address(node.buffer, node.offset)}, align {align}{scope}")
        self.f.do(f"br label %{after}")
        self.f.place(after)

    def _in_memory(self, node: Store) -> str:
        """What is stored, of the type that elements of the buffer have in memory."""
        value = self.f.value(node.value)
        self.f.at(node.loc)
        if self.f.types[node.buffer] != bool_:
            return value
        bytes_ = vector_type(memory_type(bool_), node.value.lanes)
        return self.f.emit(f"zext {self.f.type(node.value)} {value} to {bytes_}")

    def store_together(self, node: MaskedStores) -> None:
        stores = [store for store in node.stores if isinstance(store, Store)]
        targets, lanes, mask = [], stores[0].value.lanes, stores[0].mask
        count = self._first_lanes(mask, lanes) if mask is not None else None
        assert count is not None, "the pass masked_stores groups stores under masks of first lanes"
        for store in stores:
            type, align = memory_type(self.f.types[store.buffer]), self.f.types[store.buffer].size_bytes
            value = self._in_memory(store)
            tail = f", align {align}{self.f.scope(store.buffer)}"
            targets.append(StoredVector(value, self.address(store.buffer, store.offset), type, tail))
        store_first(self.f, targets, lanes, count)

    def _store_where_any(self, node: Store, value: str, type: str, lanes: int, align: int, scope: str) -> None:
        mask = node.mask
        alike = [] if mask is None else self._alike(mask)
        if mask is None or not alike:
            self._store_vector(node, value, type, lanes, align, scope)
            return
        then, after = self.f.label("then"), self.f.label("end")
        self.f.do(f"br i1 {self._all(alike)}, label %{then}, label %{after}")
        self.f.place(then)
        self._store_vector(
            replace(node, mask=None) if isinstance(mask, Splat) else node, value, type, lanes, align, scope
        )
        self.f.do(f"br label %{after}")
        self.f.place(after)

    def _alike(self, mask: Value) -> list[str]:
        """The conditions of a mask that hold for all lanes or for none."""
        match mask:
            case Splat(value) if not isinstance(value, Literal):
                return [self.f.value(value)]
            case Apply("and", (left, right)):
                return [*self._alike(left), *self._alike(right)]
            case Name(name):
                return self.alike.get(name, [])
        return []

    def _all(self, conditions: list[str]) -> str:
        first, *others = conditions
        for other in others:
            first = self.f.emit(f"and i1 {first}, {other}")
        return first

    def _store_vector(self, node: Store, value: str, type: str, lanes: int, align: int, scope: str) -> None:
        vector = vector_type(type, lanes)
        mask = self.f.value(node.mask) if node.mask is not None else "splat (i1 true)"
        suffix = f"v{lanes}{_suffix(type)}"
        if _is(node.stride, 1) and node.offset.lanes == 1:
            address = self.address(node.buffer, node.offset)
            if node.aligned and node.mask is None:
                past = ", !nontemporal !1" if node.streaming else ""
                self.f.do(f"store {vector} {value}, ptr {address}, align {lanes * align}{past}{scope}")
            elif node.mask is None:
                self.f.do(f"store {vector} {value}, ptr {address}, align {align}{scope}")
            elif (count := self._first_lanes(node.mask, lanes)) is not None:
                tail = f", align {align}{scope}"
                if _is_number(count):
                    store_few(self.f, value, address, type, lanes, int(count), tail)
                else:
                    store_first(self.f, [StoredVector(value, address, type, tail)], lanes, count)
            else:
                call = f"@llvm.masked.store.{suffix}.p0"
                self.f.module.declarations.add(f"declare void {call}({vector}, ptr, i32, <{lanes} x i1>)")
                self.f.do(
                    f"call void {call}({vector} {value}, ptr {address}, i32 {align}, <{lanes} x i1> {mask}){scope}"
                )
            return
        if node.mask is None and (apart := self._apart(node)) is not None:
            for lane in range(lanes):
                one = self.f.emit(f"extractelement {vector} {value}, i64 {lane}")
                self.f.do(f"store {type} {one}, ptr {self._lane(node.buffer, *apart, lane)}, align {align}{scope}")
            return
        addresses = self.lane_addresses(node.buffer, node.offset, node.stride, lanes)
        call = f"@llvm.masked.scatter.{suffix}.v{lanes}p0"
        self.f.module.declarations.add(f"declare void {call}({vector}, <{lanes} x ptr>, i32, <{lanes} x i1>)")
        self.f.do(
            f"call void {call}({vector} {value}, <{lanes} x ptr> {addresses}, i32 {align}, "
            f"<{lanes} x i1> {mask}){scope}"
        )

    def _first_lanes(self, mask: Value, lanes: int) -> str | None:
        """How many lanes there are, of a mask of the first ones; None: it is none, or has instructions of its own."""
        if self.f.module.has_masks or lanes & (lanes - 1):
            return None
        if isinstance(mask, Name):
            return self.counts.get(mask.name)
        return self.f.value(mask.operands[0]) if isinstance(mask, Apply) and mask.op == "first_lanes" else None

    def _room(self) -> str:
        """On the stack, for a vector of this function."""
        if not self.room:
            self.room = self.f.fresh("vector")
            self.f.entry.append(f"  {self.room} = alloca [{LARGEST_BYTES} x i8], align {LARGEST_BYTES}")
        return self.room


def stride_of(offset: Value) -> Value | None:
    """How far lanes are apart in a vector of offsets, if that is a value of its own; None: it is none."""
    match offset:
        case Apply("mul", (Iota(), Splat(stride))):
            return stride
    return None


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _is(value: Value, number: int) -> bool:
    return type(value) is Literal and value.value == number


def _suffix(type: str) -> str:
    return {"float": "f32", "double": "f64"}.get(type, type)
