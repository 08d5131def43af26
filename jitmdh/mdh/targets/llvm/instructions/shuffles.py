"""Lanes of vectors in another order, in LLVM IR."""

from __future__ import annotations

from typing import Protocol

from jitmdh.mdh.kernel.ir import Join, Merge, Name, Permute, Shuffle, Value
from jitmdh.mdh.targets.llvm.instructions.spelling import InstructionEmitter
from jitmdh.mdh.targets.llvm.types.names import llvm_type

# LLVM type: letters of the instruction that picks lanes of two vectors, as a vector of numbers says.
_PERMUTE = {"float": "ps", "double": "pd", "i32": "d", "i64": "q"}

_FENCED = {"float": "f32", "double": "f64"}  # LLVM type: its name in those of functions on vectors
_FENCED_BITS = 512  # of the vectors: shorter ones have fewer steps


class Spelling(InstructionEmitter, Protocol):
    """The function in the making, with the LLVM operand of a value."""

    def value(self, node: Value) -> str: ...
    def typed(self, node: Value) -> str: ...


def shuffled(f: Spelling, node: Shuffle) -> str:
    source, type = f.value(node.value), llvm_type(node.type)
    wide = f"<{node.value.lanes} x {type}>"
    if node.lanes == 1:
        if node.value.lanes == 1:
            return source
        return f.emit(f"extractelement {wide} {source}, i64 {node.picks[0]}")
    picks = ", ".join(f"i32 {p}" for p in node.picks)
    return f.emit(f"shufflevector {wide} {source}, {wide} poison, <{node.lanes} x i32> <{picks}>")


def merged(f: Spelling, node: Merge) -> str:
    """What is merged further stays as it is here: LLVM would look for shorter ways through all steps of a
    transposition, which took half of its instruction selection where blocks are transposed, and found none."""
    picks = ", ".join(f"i32 {p}" for p in node.picks)
    found = f.emit(f"shufflevector {f.typed(node.left)}, {f.typed(node.right)}, <{node.lanes} x i32> <{picks}>")
    type = llvm_type(node.type)
    bits, of_names = _FENCED.get(type), isinstance(node.left, Name) and isinstance(node.right, Name)
    if bits is None or not of_names or node.lanes * node.type.bits < _FENCED_BITS:
        return found
    wide, name = f"<{node.lanes} x {type}>", f"@llvm.arithmetic.fence.v{node.lanes}{bits}"
    f.module.declarations.add(f"declare {wide} {name}({wide})")
    return f.emit(f"call {wide} {name}({wide} {found})")


def permuted(f: Spelling, node: Permute) -> str:
    """Vectors that are whole registers of 512 bits: the target's passes make no others."""
    type, lanes = llvm_type(node.type), node.lanes
    letters, wide = _PERMUTE[type], f"<{lanes} x {type}>"
    name = f"@llvm.x86.avx512.vpermi2var.{letters}.512"
    numbers = f"<{lanes} x {llvm_type(node.picks.type)}>"
    left, picks, right = f.typed(node.left), f.typed(node.picks), f.typed(node.right)
    f.module.declarations.add(f"declare {wide} {name}({wide}, {numbers}, {wide})")
    return f.emit(f"call {wide} {name}({left}, {picks}, {right})")


def one_by_one(f: Spelling, node: Join) -> str:
    """Two vectors are joined by one shuffle; of more, the first ones are joined and the others put between."""
    type, lanes = llvm_type(node.type), node.values[0].lanes
    joined, count = f.value(node.values[0]), 1
    for value in node.values[1:]:
        other, wide = f.value(value), f"<{count * lanes} x {type}>"
        if count > 1:  # operands of a shuffle are equally long
            longer = ", ".join(f"i32 {n}" if n < lanes else "i32 poison" for n in range(count * lanes))
            one = f"<{lanes} x {type}>"
            other = f.emit(f"shufflevector {one} {other}, {one} poison, <{count * lanes} x i32> <{longer}>")
        picks = [p for n in range(lanes) for p in (*range(count * n, count * n + count), count * lanes + n)]
        order = ", ".join(f"i32 {p}" for p in picks)
        joined = f.emit(f"shufflevector {wide} {joined}, {wide} {other}, <{len(picks)} x i32> <{order}>")
        count += 1
    return joined
