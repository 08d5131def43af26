"""The function in the making, and what operations are spelled with: constants, choices, intrinsics, lane after lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.targets.llvm.instructions import vector_functions
from jitmdh.mdh.targets.llvm.types.names import literal, llvm_type, vector_type


class Declarations(Protocol):
    """The module around: declarations and helper functions it will contain."""

    declarations: set[str]
    functions: list[str]
    converts_half: bool
    gathers: bool

    @property
    def has_masks(self) -> bool: ...

    @property
    def masked_bytes(self) -> int: ...


class InstructionEmitter(Protocol):
    """The function in the making. branchless: code generation may make no jumps of `select`."""

    branchless: bool

    @property
    def module(self) -> Declarations: ...

    def emit(self, text: str, hint: str = "v") -> str: ...
    def do(self, text: str) -> None: ...


class Spelling:
    """Operands are texts; `lanes` of `type` each."""

    def __init__(self, function: InstructionEmitter) -> None:
        self.f = function

    def emit(self, text: str) -> str:
        return self.f.emit(text)

    def vector(self, type: ScalarType, lanes: int) -> str:
        return vector_type(llvm_type(type), lanes)

    def constant(self, value: float, type: ScalarType, lanes: int) -> str:
        text = literal(value, type)
        return f"splat ({llvm_type(type)} {text})" if lanes > 1 else text

    def zero(self, type: ScalarType, lanes: int) -> str:
        return "zeroinitializer" if lanes > 1 else ("0.0" if type.kind == "f" else "0")

    def ones(self, type: ScalarType, lanes: int) -> str:
        """All bits set."""
        one = "true" if type.kind == "b" else "-1"
        return f"splat ({llvm_type(type)} {one})" if lanes > 1 else one

    def select(self, mask: str, llvm: str, yes: str, no: str, lanes: int) -> str:
        unguessed = ", !unpredictable !{}" if self.f.branchless and lanes == 1 else ""
        return self.emit(f"select {vector_type('i1', lanes)} {mask}, {llvm} {yes}, {llvm} {no}{unguessed}")

    def intrinsic(self, name: str, operands: list[str], type: ScalarType, lanes: int) -> str:
        scalar = llvm_type(type)
        llvm = vector_type(scalar, lanes)
        suffix = {"float": "f32", "double": "f64"}.get(scalar, scalar)
        full = f"@llvm.{name}." + (f"v{lanes}{suffix}" if lanes > 1 else suffix)
        self.f.module.declarations.add(f"declare {llvm} {full}({', '.join([llvm] * len(operands))})")
        return self.f.emit(f"call {llvm} {full}({', '.join(f'{llvm} {o}' for o in operands)})")

    def library(self, op: str, operands: list[str], type: ScalarType, lanes: int) -> str:
        """A function on vectors; where there is none, the C library's, lane after lane."""
        scalar = llvm_type(type)
        wide = vector_functions.lanes_of(op, type, lanes, self.f.module.has_masks)
        found, lane = vector_functions.definition(op, type, wide), 0
        if found is not None:
            if wide != lanes:
                found, lane = vector_functions.shared(op, type) or (found, 0)
            self.f.module.declarations |= found.declarations
            if found.text not in self.f.module.functions:
                self.f.module.functions.insert(0, found.text)
            vector = vector_type(scalar, wide)
            if wide != lanes:
                operands = [self.all_equal(o, scalar, wide) for o in operands]
            result = self.f.emit(f"call {vector} {found.name}({', '.join(f'{vector} {o}' for o in operands)})")
            return result if wide == lanes else self.f.emit(f"extractelement {vector} {result}, i64 {lane}")
        name = vector_functions.library_name(OPERATIONS[op].c, type)
        self.f.module.declarations.add(f"declare {scalar} {name}({', '.join([scalar] * len(operands))}) memory(none)")
        return self.lanewise(
            lambda args: self.f.emit(f"call {scalar} {name}({', '.join(f'{scalar} {a}' for a in args)})"),
            operands, scalar, lanes,
        )  # fmt: skip

    def all_equal(self, operand: str, scalar: str, lanes: int) -> str:
        vector = vector_type(scalar, lanes)
        one = self.f.emit(f"insertelement {vector} poison, {scalar} {operand}, i64 0")
        return self.f.emit(f"shufflevector {vector} {one}, {vector} poison, <{lanes} x i32> zeroinitializer")

    def lanewise(self, one: Callable[[Sequence[str]], str], operands: list[str], scalar: str, lanes: int) -> str:
        if lanes == 1:
            return one(operands)
        wide = f"<{lanes} x {scalar}>"
        result = "poison"
        for lane in range(lanes):
            args = [self.f.emit(f"extractelement {wide} {o}, i64 {lane}") for o in operands]
            result = self.f.emit(f"insertelement {wide} {result}, {scalar} {one(args)}, i64 {lane}")
        return result
