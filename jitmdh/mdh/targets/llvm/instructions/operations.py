"""Scalar operations in LLVM IR, lane by lane, with Python's and NumPy's meaning.

`SPELLED` has those that LLVM has instructions for; it lives here because an instruction is LLVM's, not the operation's.
All other rows of the table of operations are functions: `vector_functions` computes them, or C's library. A test goes
through the table and finds each row in one of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from jitmdh.base.dtype import ScalarType, bool_, float32
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.kernel.ir import Apply
from jitmdh.mdh.targets.llvm.instructions import integers
from jitmdh.mdh.targets.llvm.instructions.conversions import cast
from jitmdh.mdh.targets.llvm.instructions.spelling import InstructionEmitter, Spelling
from jitmdh.mdh.targets.llvm.types.names import vector_type

Spelled = Callable[[Spelling, list[str], ScalarType, int, str], str]
"""(spelling, operands, their type, lanes, the type of the vectors) to the result."""


def fuses(node: Apply) -> bool:
    """Whether `c ± a·b` is rounded once: in reductions, on floats that are not computed as wider ones."""
    return node.relaxed and node.op in ("add_product", "sub_product") and node.type.kind == "f" and node.type.bits >= 32


class Operations:
    """Spells `Apply` nodes for one function in the making."""

    def __init__(self, function: InstructionEmitter) -> None:
        self.spelling = Spelling(function)

    def apply(self, node: Apply, operands: list[str]) -> str:
        """`node` on operands that have been spelled already."""
        type, s = node.operands[0].type, self.spelling
        if node.op == "cast":
            return cast(s, operands[0], type, node.type, node.lanes)
        if node.op == "first_lanes":
            return _first_lanes(s, operands[0], node.lanes)
        if node.op == "select":
            return s.select(operands[0], s.vector(node.type, node.lanes), operands[1], operands[2], node.lanes)
        if type.kind == "f" and type.bits == 16:
            return self._in_float32(node, operands, type)
        return self.operation(node.op, operands, type, node.lanes, node.relaxed)

    def operation(self, op: str, operands: list[str], type: ScalarType, lanes: int, relaxed: bool = False) -> str:
        """One operation on operands that all have `type`."""
        s, floating = self.spelling, type.kind == "f"
        if type == bool_ and op == "add":
            op = "or"  # True + True is True
        if op in ("add_product", "sub_product"):
            product = self.operation("mul", operands[1:], type, lanes)
            return self.operation(op[:3], [operands[0], product], type, lanes)
        spelled = SPELLED.get(op)
        if spelled is not None:
            flag = "contract " if floating and relaxed and op in _CONTRACTED else ""
            return spelled(s, operands, type, lanes, flag + s.vector(type, lanes))
        if floating and op in OPERATIONS and OPERATIONS[op].c:
            return s.library(op, operands, type, lanes)
        raise NotAnMdhError(f"operation {op} on {type} is not supported by the CPU back end")

    def multiply_add(self, node: Apply, operands: list[str]) -> str:
        """`c ± a·b` on a, b and c, rounded once where the processor can."""
        s = self.spelling
        if node.op.startswith("sub"):
            operands = [_neg(s, operands, node.type, node.lanes, s.vector(node.type, node.lanes)), *operands[1:]]
        return s.intrinsic("fmuladd", operands, node.type, node.lanes)

    def _in_float32(self, node: Apply, operands: list[str], type: ScalarType) -> str:
        """16-bit floats are computed in float32 and rounded after each operation, like NumPy's.

        What only changes a sign or chooses an operand has nothing to round: that is done to their 16 bits.
        """
        s = self.spelling
        if node.op in _SIGNS:
            op, bits = _SIGNS[node.op]
            lanes = f"splat (i16 {bits})" if node.lanes > 1 else bits
            return s.emit(f"{op} {s.vector(type, node.lanes)} {operands[0]}, {lanes}")
        wide = [cast(s, o, type, float32, node.lanes) for o in operands]
        if node.op in _CHOICES:
            first = _CHOICES[node.op](s, wide, float32, node.lanes, s.vector(float32, node.lanes))
            return s.select(first, s.vector(type, node.lanes), operands[0], operands[1], node.lanes)
        result = self.operation(node.op, wide, float32, node.lanes)
        return result if node.type == bool_ else cast(s, result, float32, node.type, node.lanes)


# -------------------------------------------------------------------------------------------- instructions


def _instruction(of_integers: str, of_floats: str) -> Spelled:
    def spelled(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return s.emit(f"{of_floats if type.kind == 'f' else of_integers} {llvm} {', '.join(o)}")

    return spelled


def _comparison(op: str) -> Spelled:
    of_floats, exact = ("une" if op == "ne" else f"o{op}"), op in ("eq", "ne")

    def spelled(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        if type.kind == "f":
            return s.emit(f"fcmp {of_floats} {llvm} {', '.join(o)}")
        return s.emit(f"icmp {op if exact else ('s' if type.kind == 'i' else 'u') + op} {llvm} {', '.join(o)}")

    return spelled


def _intrinsic(name: str) -> Spelled:
    """A function of floats that leaves integers alone."""
    return lambda s, o, type, lanes, llvm: s.intrinsic(name, o, type, lanes) if type.kind == "f" else o[0]


def _neg(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    if type.kind == "f":
        return s.emit(f"fneg {llvm} {o[0]}")
    return s.emit(f"sub {llvm} {s.zero(type, lanes)}, {o[0]}")


def _abs(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    if type.kind == "f":
        return s.intrinsic("fabs", o, type, lanes)
    if type.kind != "i":
        return o[0]
    negative = s.emit(f"icmp slt {llvm} {o[0]}, {s.zero(type, lanes)}")
    return s.select(negative, llvm, _neg(s, o, type, lanes, llvm), o[0], lanes)


def _not(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    return s.emit(f"xor {llvm} {o[0]}, {s.ones(type, lanes)}")


def _first_or_nan(op: str) -> Spelled:
    """Which of two operands NumPy takes: whether the first one compares so or is NaN (else the second may be NaN)."""
    compare = _comparison(op)

    def spelled(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        first = compare(s, o, type, lanes, llvm)
        if type.kind == "f":
            nan = s.emit(f"fcmp uno {llvm} {o[0]}, {o[0]}")
            first = s.emit(f"or {vector_type('i1', lanes)} {first}, {nan}")
        return first

    return spelled


def _extremum(op: str) -> Spelled:
    """NumPy's `minimum` and `maximum`. Of floats the second one if it compares so to the first, else the first one,
    which is one instruction of x86 processors; then the second one if that is NaN, which a constant never is."""
    first, second = _first_or_nan(f"{op[0]}e"), _second_if(op)

    def spelled(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        if type.kind != "f":
            return s.select(first(s, o, type, lanes, llvm), llvm, o[0], o[1], lanes)
        found = second(s, o, type, lanes, llvm)
        return s.select(s.emit(f"fcmp uno {llvm} {o[1]}, {o[1]}"), llvm, o[1], found, lanes)

    return spelled


def _second_if(op: str) -> Spelled:
    """Python's `min` and `max`: the second operand if it compares so to the first."""
    compare = _comparison(op)

    def spelled(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return s.select(compare(s, [o[1], o[0]], type, lanes, llvm), llvm, o[1], o[0], lanes)

    return spelled


def _isnan(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    return s.emit(f"fcmp uno {llvm} {o[0]}, {o[0]}" if type.kind == "f" else f"icmp ne {llvm} {o[0]}, {o[0]}")


def _against_infinity(predicate: str) -> Spelled:
    def spelled(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        size = s.intrinsic("fabs", o, type, lanes)
        return s.emit(f"fcmp {predicate} {llvm} {size}, {s.constant(math.inf, type, lanes)}")

    return spelled


def _first_lanes(s: Spelling, count: str, lanes: int) -> str:
    if count.lstrip("-").isdigit():
        return "<" + ", ".join(f"i1 {str(n < int(count)).lower()}" for n in range(lanes)) + ">"
    most = s.emit(f"icmp slt i64 {count}, {lanes}")
    clamped = s.emit(f"select i1 {most}, i64 {count}, i64 {lanes}")
    least = s.emit(f"icmp sgt i64 {clamped}, 0")
    if s.f.module.has_masks and lanes in _LONG_MASKS:  # a mask is a number of as many bits: no vectors are compared
        missing = s.emit(f"sub i64 {lanes}, {clamped}")
        kept = s.emit(f"and i64 {missing}, {lanes - 1}")
        shifted = s.emit(f"lshr i{lanes} -1, {kept if lanes == 64 else s.emit(f'trunc i64 {kept} to i{lanes}')}")
        bits_of_mask = s.emit(f"select i1 {least}, i{lanes} {shifted}, i{lanes} 0")
        return s.emit(f"bitcast i{lanes} {bits_of_mask} to <{lanes} x i1>")
    clamped = s.emit(f"select i1 {least}, i64 {clamped}, i64 0")
    # Lanes as wide as most that there are so many of in a vector: those of bytes are compared by one instruction.
    bits = 32 if s.f.module.has_masks else {16: 16, 32: 8}.get(lanes, 32)
    short = s.emit(f"trunc i64 {clamped} to i{bits}")
    vector = f"<{lanes} x i{bits}>"
    one = s.emit(f"insertelement {vector} poison, i{bits} {short}, i64 0")
    wide = s.emit(f"shufflevector {vector} {one}, {vector} poison, <{lanes} x i32> zeroinitializer")
    iota = "<" + ", ".join(f"i{bits} {n}" for n in range(lanes)) + ">"
    return s.emit(f"icmp {'ult' if bits == 32 else 'slt'} {vector} {iota}, {wide}")


_LONG_MASKS = (32, 64)  # lanes, for whose numbers one vector has no room
_SIGNS = {"neg": ("xor", "-32768"), "abs": ("and", "32767")}
"""Of 16-bit floats: what is done to their bits."""
_CHOICES = {"minimum": _first_or_nan("le"), "maximum": _first_or_nan("ge")}
_CONTRACTED = frozenset({"add", "sub", "mul", "truediv"})
SPELLED: Mapping[str, Spelled] = {
    "add": _instruction("add", "fadd"), "sub": _instruction("sub", "fsub"), "mul": _instruction("mul", "fmul"),
    "truediv": _instruction("", "fdiv"), "rem": _instruction("", "frem"),
    "and": _instruction("and", ""), "or": _instruction("or", ""),
    "xor": _instruction("xor", ""), "udiv": _instruction("udiv", ""), "urem": _instruction("urem", ""),
    "exact_div": _instruction("sdiv exact", ""), "capped_mul": integers.capped_mul,
    **{op: _comparison(op) for op in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{op: _intrinsic(op) for op in ("sqrt", "floor", "ceil", "trunc", "rint", "copysign")},
    "neg": _neg, "abs": _abs, "not": _not, "invert": _not,
    "minimum": _extremum("lt"), "maximum": _extremum("gt"),
    "fmin": _second_if("lt"), "fmax": _second_if("gt"),
    "isnan": _isnan, "isinf": _against_infinity("oeq"), "isfinite": _against_infinity("olt"),
    "floordiv": integers.floordiv, "mod": integers.mod, "lshift": integers.lshift, "rshift": integers.rshift,
    "pow": integers.power,
}  # fmt: skip
