"""The instructions that mathematical functions are made of (`targets/math/lanes.py`), in LLVM IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from jitmdh.base.dtype import float32, float64
from jitmdh.mdh.targets.llvm.types.names import literal, vector_type
from jitmdh.mdh.targets.math.lanes import Arithmetic, Code, Compare, Function, Integer, Mask


class LlvmCode(Code):
    """declarations: what the code needs declared."""

    def __init__(self, lanes: int) -> None:
        super().__init__(lanes)
        self.declarations: set[str] = set()

    def emit(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def call(self, name: str, type: str, operands: Sequence[tuple[str, str]]) -> str:
        """A call of an intrinsic."""
        self.declarations.add(f"declare {type} {name}({', '.join(t for t, _ in operands)})")
        return self.emit(f"call {type} {name}({', '.join(f'{t} {o}' for t, o in operands)})")

    @property
    def mask_type(self) -> str:
        return vector_type("i1", self.lanes)

    def _floats(self, bits: int) -> str:
        return vector_type(_SCALAR[bits], self.lanes)

    def _integers(self, bits: int) -> str:
        return vector_type(f"i{bits}", self.lanes)

    def float_constant(self, value: float, bits: int) -> str:
        text = literal(value, float32 if bits == 32 else float64)
        return f"splat ({_SCALAR[bits]} {text})" if self.lanes > 1 else text

    def integer_constant(self, value: int, bits: int) -> str:
        value = (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
        return f"splat (i{bits} {value})" if self.lanes > 1 else str(value)

    def arithmetic(self, op: Arithmetic, bits: int, left: str, right: str) -> str:
        return self.emit(f"{op} {self._floats(bits)} {left}, {right}")

    def negated(self, bits: int, value: str) -> str:
        return self.emit(f"fneg {self._floats(bits)} {value}")

    def integer(self, op: Integer, bits: int, left: str, right: str) -> str:
        return self.emit(f"{op} {self._integers(bits)} {left}, {right}")

    def compared(self, op: Compare, bits: int, left: str, right: str) -> str:
        return self.emit(f"fcmp {op} {self._floats(bits)} {left}, {right}")

    def is_nonzero(self, bits: int, value: str) -> str:
        return self.emit(f"icmp ne {self._integers(bits)} {value}, {self.integer_constant(0, bits)}")

    def joined(self, op: Literal["and", "or"], left: Mask, right: Mask) -> str:
        return self.emit(f"{op} {self.mask_type} {left.text}, {right.text}")

    def chosen(self, mask: Mask, bits: int, then: str, otherwise: str) -> str:
        type = self._floats(bits)
        return self.emit(f"select {self.mask_type} {mask.text}, {type} {then}, {type} {otherwise}")

    def function(self, name: Function, bits: int, operands: Sequence[str]) -> str:
        suffix = f"v{self.lanes}f{bits}" if self.lanes > 1 else f"f{bits}"
        type = self._floats(bits)
        return self.call(f"@llvm.{name}.{suffix}", type, [(type, o) for o in operands])

    def float_bits(self, bits: int, value: str) -> str:
        return self.emit(f"bitcast {self._floats(bits)} {value} to {self._integers(bits)}")

    def bits_float(self, bits: int, value: str) -> str:
        return self.emit(f"bitcast {self._integers(bits)} {value} to {self._floats(bits)}")

    def widened(self, value: str) -> str:
        return self.emit(f"fpext {self._floats(32)} {value} to {self._floats(64)}")

    def narrowed(self, value: str) -> str:
        return self.emit(f"fptrunc {self._floats(64)} {value} to {self._floats(32)}")


_SCALAR = {32: "float", 64: "double"}
