"""Loads, stores and addresses of elements in LLVM IR."""

from __future__ import annotations

from typing import Protocol

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.source import Loc
from jitmdh.mdh.kernel.ir import Apply, Iota, Literal, Load, Misalignment, Name, Prefetch, Splat, Store, Value
from jitmdh.mdh.targets.llvm.instructions.intrinsics import prefetch
from jitmdh.mdh.targets.llvm.instructions.spelling import InstructionEmitter
from jitmdh.mdh.targets.llvm.types.names import memory_type, vector_type

_WORD_BYTES = 4
"""Of the smallest elements that an instruction gathers."""


class AccessEmitter(InstructionEmitter, Protocol):
    """The function in the making. pointers, types: of its buffers, and of their elements."""

    pointers: dict[str, str]
    types: dict[str, ScalarType]

    def label(self, hint: str) -> str: ...
    def place(self, label: str) -> None: ...
    def value(self, node: Value) -> str: ...
    def type(self, node: Value) -> str: ...
    def scope(self, buffer: str) -> str: ...
    def at(self, loc: Loc | None) -> None: ...


class LlvmAccesses:
    """Spells accesses of one function."""

    def __init__(self, function: AccessEmitter) -> None:
        self.f = function

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
            call = f"@llvm.masked.load.{suffix}.p0"
            self.f.module.declarations.add(f"declare {vector} {call}(ptr, i32, <{lanes} x i1>, {vector})")
            return self.f.emit(
                f"call {vector} {call}(ptr {address}, i32 {align}, <{lanes} x i1> {mask}, "
                f"{vector} zeroinitializer){scope}"
            )
        addresses = self.lane_addresses(node.buffer, node.offset, node.stride, lanes)
        if align < _WORD_BYTES and self.f.module.has_masks:
            return self._gather_from_words(addresses, lanes, vector, mask, scope)
        return self._gather(addresses, lanes, type, align, mask, scope)

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
        value = self.f.value(node.value)
        self.f.at(node.loc)
        if self.f.types[node.buffer] == bool_:
            value = self.f.emit(f"zext {self.f.type(node.value)} {value} to {vector_type(type, lanes)}")
        if lanes > 1:
            self._store_vector(node, value, type, lanes, align, scope)
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
            else:
                call = f"@llvm.masked.store.{suffix}.p0"
                self.f.module.declarations.add(f"declare void {call}({vector}, ptr, i32, <{lanes} x i1>)")
                self.f.do(
                    f"call void {call}({vector} {value}, ptr {address}, i32 {align}, <{lanes} x i1> {mask}){scope}"
                )
            return
        addresses = self.lane_addresses(node.buffer, node.offset, node.stride, lanes)
        call = f"@llvm.masked.scatter.{suffix}.v{lanes}p0"
        self.f.module.declarations.add(f"declare void {call}({vector}, <{lanes} x ptr>, i32, <{lanes} x i1>)")
        self.f.do(
            f"call void {call}({vector} {value}, <{lanes} x ptr> {addresses}, i32 {align}, "
            f"<{lanes} x i1> {mask}){scope}"
        )


def _is(value: Value, number: int) -> bool:
    return type(value) is Literal and value.value == number


def _suffix(type: str) -> str:
    return {"float": "f32", "double": "f64"}.get(type, type)
