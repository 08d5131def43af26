"""Mathematical functions in OpenCL C: the same polynomials as on the processor, spelled for vectors of 1 to 16 lanes.

OpenCL's own functions may be off by several units in the last place; here they serve lanes that a method leaves alone
(huge angles, zeros and infinities of powers).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.targets.c_dialects.types import literal, value_type
from jitmdh.mdh.targets.math.lanes import Arithmetic, Code, Compare, Function, Integer, Mask
from jitmdh.mdh.targets.math.methods import method

FUSED = """#ifdef FP_FAST_FMAF
#define fused_32(a, b, c) fma(a, b, c)
#else
#define fused_32(a, b, c) ((a) * (b) + (c))
#endif
#ifdef FP_FAST_FMA
#define fused_64(a, b, c) fma(a, b, c)
#else
#define fused_64(a, b, c) ((a) * (b) + (c))
#endif"""
_ARITHMETIC = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
_INTEGER = {"add": "+", "sub": "-", "and": "&", "xor": "^", "shl": "<<", "ashr": ">>"}


class OpenClCode(Code):
    """Masks of vectors are integers as wide as what was compared, 0 and -1; of one lane they are 0 and 1."""

    def emit(self, type: str, text: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"    const {type} {name} = {text};")
        return name

    def type(self, kind: str, bits: int) -> str:
        """kind: `f`loat, `i`nteger, `u`nsigned or `m`ask."""
        one = {"f": ("float", "double"), "i": ("int", "long"), "u": ("uint", "ulong"), "m": ("int", "long")}
        if kind == "m" and self.lanes == 1:
            return "int"
        return one[kind][bits == 64] + (str(self.lanes) if self.lanes > 1 else "")

    def _spread(self, text: str, type: str) -> str:
        return text if self.lanes == 1 else f"({type})({text})"

    def float_constant(self, value: float, bits: int) -> str:
        return self._spread(literal(value, float32 if bits == 32 else float64), self.type("f", bits))

    def integer_constant(self, value: int, bits: int) -> str:
        pattern = f"{value & ((1 << bits) - 1)}{'UL' if bits == 64 else 'U'}"
        return f"as_{self.type('i', bits)}({self._spread(pattern, self.type('u', bits))})"

    def arithmetic(self, op: Arithmetic, bits: int, left: str, right: str) -> str:
        return self.emit(self.type("f", bits), f"{left} {_ARITHMETIC[op]} {right}")

    def negated(self, bits: int, value: str) -> str:
        return self.emit(self.type("f", bits), f"-{value}")

    def integer(self, op: Integer, bits: int, left: str, right: str) -> str:
        signed, unsigned = self.type("i", bits), self.type("u", bits)
        if op == "ashr":
            return self.emit(signed, f"{left} >> {right}")
        text = f"as_{unsigned}({left}) {_INTEGER[op]} as_{unsigned}({right})"
        return self.emit(signed, f"as_{signed}({text})")

    def compared(self, op: Compare, bits: int, left: str, right: str) -> str:
        symbol = {"olt": "<", "ogt": ">", "oge": ">=", "oeq": "==", "uge": "<"}.get(op)
        text = f"{left} {symbol} {right}" if symbol else f"isunordered({left}, {right})"
        if op == "uge":
            text = f"{'!' if self.lanes == 1 else '~'}({text})"
        return self.emit(self.type("m", bits), text)

    def is_nonzero(self, bits: int, value: str) -> str:
        return self.emit(self.type("m", bits), f"{value} != {self.integer_constant(0, bits)}")

    def joined(self, op: Literal["and", "or"], left: Mask, right: Mask) -> str:
        assert left.bits == right.bits
        return self.emit(self.type("m", left.bits), f"{left.text} {'&' if op == 'and' else '|'} {right.text}")

    def chosen(self, mask: Mask, bits: int, then: str, otherwise: str) -> str:
        if self.lanes == 1:
            return self.emit(self.type("f", bits), f"{mask.text} ? {then} : {otherwise}")
        wide = mask.text if mask.bits == bits else f"convert_{self.type('i', bits)}({mask.text})"
        return self.emit(self.type("f", bits), f"select({otherwise}, {then}, {wide})")

    def function(self, name: Function, bits: int, operands: Sequence[str]) -> str:
        spelled = f"fused_{bits}" if name == "fmuladd" else name
        return self.emit(self.type("f", bits), f"{spelled}({', '.join(operands)})")

    def float_bits(self, bits: int, value: str) -> str:
        return self.emit(self.type("i", bits), f"as_{self.type('i', bits)}({value})")

    def bits_float(self, bits: int, value: str) -> str:
        return self.emit(self.type("f", bits), f"as_{self.type('f', bits)}({value})")

    def widened(self, value: str) -> str:
        return self.emit(self.type("f", 64), f"convert_{self.type('f', 64)}({value})")

    def narrowed(self, value: str) -> str:
        return self.emit(self.type("f", 32), f"convert_{self.type('f', 32)}({value})")


def definition(op: str, type: ScalarType, lanes: int) -> tuple[str, str] | None:
    """Name and text of a function that computes `op`; None where there is no method."""
    found = method(op)
    if found is None:
        return None
    code, row, own = OpenClCode(lanes), OPERATIONS[op], value_type(type, lanes)
    names = [f"x{n}" for n in range(row.arity)]
    result, rare = found.result([code.floats(name, type.bits) for name in names])
    if rare is None:
        code.lines.append(f"    return {result.text};")
    else:
        code.lines.append(f"    if (!{f'any({rare.text})' if lanes > 1 else rare.text}) return {result.text};")
        library = code.floats(code.emit(own, f"{row.c}({', '.join(names)})"), type.bits)
        code.lines.append(f"    return {library.chosen(rare, result).text};")
    name = f"{op}_{own}"
    body = "\n".join(code.lines)
    return name, f"{own} {name}({', '.join(f'{own} {n}' for n in names)})\n{{\n{body}\n}}"
