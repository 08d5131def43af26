"""Mathematical functions as LLVM functions on vectors of any length: one definition for vectors and single values.

A result does not depend on the lane or the remainder loop that it is computed in. float32 goes through float64 and is
rounded once, where there is no shorter way. Lanes whose arguments a method does not cover (huge angles, for instance)
are left to the C library, in a branch that is hardly ever taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.dtype import ScalarType, float64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.targets.llvm.types.lanes import LlvmCode
from jitmdh.mdh.targets.llvm.types.names import llvm_type, vector_type
from jitmdh.mdh.targets.math import trigonometry
from jitmdh.mdh.targets.math.lanes import Bits, Floats, Mask
from jitmdh.mdh.targets.math.methods import method

_SINE_AND_COSINE = ("sin", "cos")
_INLINE_COST = 20
"""Functions that take no more instructions stand in the loop itself."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function of LLVM: its name, its text, and what the text needs declared."""

    name: str
    text: str
    declarations: frozenset[str]


def definition(op: str, type: ScalarType, lanes: int) -> Definition | None:
    """`op` on vectors of `lanes` float32 or float64; None where there is no method for it."""
    found = method(op)
    if found is None or type.bits not in (32, 64):
        return None
    vector, code, row = vector_type(llvm_type(type), lanes), LlvmCode(lanes), OPERATIONS[op]
    name = f"@{op}_f{type.bits}x{lanes}"
    arguments = [code.floats(f"%x{n}", type.bits) for n in range(row.arity)]
    result, rare = found.result(arguments)
    if rare is None:
        code.lines.append(f"  ret {vector} {result.text}")
    else:
        library = type if found.short is not None else float64  # that of float32 may be further off
        _leave_to_library(code, [row.c] * lanes, type, library, result, arguments, rare)
    inline = "alwaysinline" if row.cost <= _INLINE_COST and rare is None else "noinline"
    return _function(name, code, vector, row.arity, inline)


def _function(name: str, code: LlvmCode, vector: str, arity: int, inline: str) -> Definition:
    parameters = ", ".join(f"{vector} %x{n}" for n in range(arity))
    lines = "\n".join(code.lines)
    text = f"define internal {vector} {name}({parameters}) #0 memory(none) {inline} {{\nentry:\n{lines}\n}}"
    return Definition(name, text, frozenset(code.declarations))


def shared(op: str, type: ScalarType) -> tuple[Definition, int] | None:
    """Sine and cosine as the lanes of one function, and the lane of `op`: as long as either of them on such a vector.

    Where a program needs both of the same number, LLVM calls it once.
    """
    if op not in _SINE_AND_COSINE or type != float64:
        return None
    code = LlvmCode(2)
    vector = vector_type(llvm_type(type), 2)
    x, turns = code.floats("%x0", 64), Bits(code, "<i64 0, i64 1>", 64)
    result, rare = trigonometry.sin_or_cos(x, turns), trigonometry.sin_rare(x)
    _leave_to_library(code, _SINE_AND_COSINE, type, type, result, [x], rare)
    return _function("@sin_cos_f64x2", code, vector, 1, "noinline"), _SINE_AND_COSINE.index(op)


def lanes_of(op: str, type: ScalarType, lanes: int, masks: bool) -> int:
    """How many lanes compute `lanes` results. masks: comparisons of vectors give masks, as in AVX-512.

    A single result then is one of the smallest vector, whose lanes are equal: comparisons of single values go through a
    byte of a general register, the write of which waits for what was in that register before, and so each element of a
    loop in order would wait for the one before.
    """
    found = method(op)
    if lanes > 1 or found is None or not masks:
        return lanes
    return 4 if type.bits == 32 and found.short is not None else 2


def library_name(c: str, type: ScalarType) -> str:
    """The C library's function for a type."""
    return "@" + c + ("f" if type.bits == 32 else "")


def _leave_to_library(
    code: LlvmCode,
    c: Sequence[str],
    type: ScalarType,
    own: ScalarType,
    result: Floats,
    arguments: list[Floats],
    rare: Mask,
) -> None:
    """Ends the function: where `rare` holds, the result of the C library's function of that lane for `own`."""
    scalar, wide, lanes = llvm_type(type), llvm_type(own), code.lanes
    vector = vector_type(scalar, lanes)
    any_rare = rare.text
    if lanes > 1:
        any_rare = code.call(f"@llvm.vector.reduce.or.v{lanes}i1", "i1", [(code.mask_type, rare.text)])
    code.lines += [f"  br i1 {any_rare}, label %rare, label %end, !prof !2", "rare:"]
    names = [library_name(one, own) for one in c]
    code.declarations |= {f"declare {wide} {name}({', '.join([wide] * len(arguments))}) memory(none)" for name in names}
    found = "poison"
    for lane, name in enumerate(names):
        one = [code.emit(f"extractelement {vector} {a.text}, i64 {lane}") if lanes > 1 else a.text for a in arguments]
        if own != type:
            one = [code.emit(f"fpext {scalar} {a} to {wide}") for a in one]
        value = code.emit(f"call {wide} {name}({', '.join(f'{wide} {a}' for a in one)})")
        if own != type:
            value = code.emit(f"fptrunc {wide} {value} to {scalar}")
        found = code.emit(f"insertelement {vector} {found}, {scalar} {value}, i64 {lane}") if lanes > 1 else value
    fixed = code.emit(f"select {code.mask_type} {rare.text}, {vector} {found}, {vector} {result.text}")
    code.lines += ["  br label %end", "end:"]
    code.lines.append(f"  %result = phi {vector} [ {result.text}, %entry ], [ {fixed}, %rare ]")
    code.lines.append(f"  ret {vector} %result")
