"""Straight-line LLVM IR on vectors, written like arithmetic: what the mathematical functions are made of.

    x = code.floats("%x", 64);   y = (x * 2.0 + 1.0).chosen(x > 0.0, x)

Every operation is rounded on its own, except `fused`, which is one instruction where the processor has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jitmdh.base.dtype import float32, float64
from jitmdh.mdh.targets.llvm.types.names import literal, vector_type


@dataclass(slots=True)
class Code:
    """The body of a function in the making. declarations: what it needs declared."""

    lanes: int
    declarations: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)

    def emit(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def floats(self, text: str, bits: int) -> Floats:
        return Floats(self, text, bits)

    def call(self, name: str, type: str, operands: Sequence[tuple[str, str]]) -> str:
        """A call of an intrinsic."""
        self.declarations.add(f"declare {type} {name}({', '.join(t for t, _ in operands)})")
        return self.emit(f"call {type} {name}({', '.join(f'{t} {o}' for t, o in operands)})")


@dataclass(frozen=True, slots=True)
class Mask:
    """A truth for each lane."""

    code: Code
    text: str

    @property
    def type(self) -> str:
        return vector_type("i1", self.code.lanes)

    def __and__(self, other: Mask) -> Mask:
        return Mask(self.code, self.code.emit(f"and {self.type} {self.text}, {other.text}"))

    def __or__(self, other: Mask) -> Mask:
        return Mask(self.code, self.code.emit(f"or {self.type} {self.text}, {other.text}"))


@dataclass(frozen=True, slots=True)
class Bits:
    """Integers as wide as the floats they belong to; arithmetic wraps."""

    code: Code
    text: str
    bits: int

    @property
    def type(self) -> str:
        return vector_type(f"i{self.bits}", self.code.lanes)

    def _constant(self, value: int) -> str:
        value = (value + (1 << (self.bits - 1))) % (1 << self.bits) - (1 << (self.bits - 1))
        return f"splat (i{self.bits} {value})" if self.code.lanes > 1 else str(value)

    def _apply(self, op: str, other: Bits | int) -> Bits:
        right = other.text if isinstance(other, Bits) else self._constant(other)
        return Bits(self.code, self.code.emit(f"{op} {self.type} {self.text}, {right}"), self.bits)

    def __add__(self, other: Bits | int) -> Bits:
        return self._apply("add", other)

    def __sub__(self, other: Bits | int) -> Bits:
        return self._apply("sub", other)

    def __and__(self, other: Bits | int) -> Bits:
        return self._apply("and", other)

    def __xor__(self, other: Bits | int) -> Bits:
        return self._apply("xor", other)

    def __lshift__(self, amount: int) -> Bits:
        return self._apply("shl", amount)

    def __rshift__(self, amount: int) -> Bits:
        return self._apply("ashr", amount)

    def is_nonzero(self) -> Mask:
        return Mask(self.code, self.code.emit(f"icmp ne {self.type} {self.text}, {self._constant(0)}"))

    def as_floats(self) -> Floats:
        """The floats with these bits."""
        target = Floats(self.code, "", self.bits).type
        return Floats(self.code, self.code.emit(f"bitcast {self.type} {self.text} to {target}"), self.bits)

    def to_floats(self) -> Floats:
        """The floats with these values, which are small (below 2²² or 2⁵¹): added to a large float's last bits."""
        large = Floats(self.code, "", self.bits).constant(1.5 * 2.0 ** (23 if self.bits == 32 else 52))
        return (self + large.as_bits()).as_floats() - large


@dataclass(frozen=True, slots=True)
class Floats:
    """Floats of 32 or 64 bits, one to a lane."""

    code: Code
    text: str
    bits: int

    @property
    def scalar(self) -> str:
        return "float" if self.bits == 32 else "double"

    @property
    def type(self) -> str:
        return vector_type(self.scalar, self.code.lanes)

    def constant(self, value: float) -> Floats:
        text = literal(value, float32 if self.bits == 32 else float64)
        return Floats(self.code, f"splat ({self.scalar} {text})" if self.code.lanes > 1 else text, self.bits)

    def _of(self, other: Floats | float) -> Floats:
        return other if isinstance(other, Floats) else self.constant(other)

    def _apply(self, op: str, left: Floats | float, right: Floats | float) -> Floats:
        text = f"{op} {self.type} {self._of(left).text}, {self._of(right).text}"
        return Floats(self.code, self.code.emit(text), self.bits)

    def __add__(self, other: Floats | float) -> Floats:
        return self._apply("fadd", self, other)

    def __radd__(self, other: float) -> Floats:
        return self._apply("fadd", other, self)

    def __sub__(self, other: Floats | float) -> Floats:
        return self._apply("fsub", self, other)

    def __rsub__(self, other: float) -> Floats:
        return self._apply("fsub", other, self)

    def __mul__(self, other: Floats | float) -> Floats:
        return self._apply("fmul", self, other)

    def __rmul__(self, other: float) -> Floats:
        return self._apply("fmul", other, self)

    def __truediv__(self, other: Floats | float) -> Floats:
        return self._apply("fdiv", self, other)

    def __rtruediv__(self, other: float) -> Floats:
        return self._apply("fdiv", other, self)

    def __neg__(self) -> Floats:
        return Floats(self.code, self.code.emit(f"fneg {self.type} {self.text}"), self.bits)

    def _compare(self, op: str, other: Floats | float) -> Mask:
        return Mask(self.code, self.code.emit(f"fcmp {op} {self.type} {self.text}, {self._of(other).text}"))

    def __lt__(self, other: Floats | float) -> Mask:
        return self._compare("olt", other)

    def __gt__(self, other: Floats | float) -> Mask:
        return self._compare("ogt", other)

    def __ge__(self, other: Floats | float) -> Mask:
        return self._compare("oge", other)

    def is_equal(self, other: Floats | float) -> Mask:
        return self._compare("oeq", other)

    def is_not_below(self, other: Floats | float) -> Mask:
        """Greater, equal, or not a number."""
        return self._compare("uge", other)

    def is_nan(self) -> Mask:
        return self._compare("uno", self)

    def fused(self, factor: Floats | float, addend: Floats | float) -> Floats:
        """`self * factor + addend`, rounded once if the processor has such an instruction, else twice."""
        name = f"@llvm.fmuladd.{self._suffix}"
        operands = [(self.type, o.text) for o in (self, self._of(factor), self._of(addend))]
        return Floats(self.code, self.code.call(name, self.type, operands), self.bits)

    @property
    def _suffix(self) -> str:
        return f"v{self.code.lanes}f{self.bits}" if self.code.lanes > 1 else f"f{self.bits}"

    def polynomial(self, coefficients: Sequence[float]) -> Floats:
        """`c₀ + c₁·self + c₂·self² + …`: even and odd terms side by side, each by Horner's rule."""
        if len(coefficients) < 6:
            return self._horner(coefficients)
        square = self * self
        odd = square._horner(coefficients[1::2])
        return odd.fused(self, square._horner(coefficients[0::2]))

    def _horner(self, coefficients: Sequence[float]) -> Floats:
        total = self.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = total.fused(self, c)
        return total

    def chosen(self, mask: Mask, otherwise: Floats | float) -> Floats:
        """`self` where `mask` holds, else `otherwise`."""
        other = self._of(otherwise)
        text = f"select {mask.type} {mask.text}, {self.type} {self.text}, {self.type} {other.text}"
        return Floats(self.code, self.code.emit(text), self.bits)

    def as_bits(self) -> Bits:
        """The integers with the same bits."""
        target = Bits(self.code, "", self.bits).type
        return Bits(self.code, self.code.emit(f"bitcast {self.type} {self.text} to {target}"), self.bits)

    def _intrinsic(self, name: str, *others: Floats) -> Floats:
        operands = [(self.type, o.text) for o in (self, *others)]
        return Floats(self.code, self.code.call(f"@llvm.{name}.{self._suffix}", self.type, operands), self.bits)

    def size(self) -> Floats:
        """Absolute values."""
        return self._intrinsic("fabs")

    def root(self) -> Floats:
        return self._intrinsic("sqrt")

    def with_sign_of(self, other: Floats) -> Floats:
        return self._intrinsic("copysign", other)

    def at_most(self, limit: float) -> Floats:
        """The lesser of both; NaN stays."""
        return self.constant(limit).chosen(self > limit, self)

    def at_least(self, limit: float) -> Floats:
        return self.constant(limit).chosen(self < limit, self)

    def widened(self) -> Floats:
        """As 64-bit floats."""
        target = Floats(self.code, "", 64)
        return Floats(self.code, self.code.emit(f"fpext {self.type} {self.text} to {target.type}"), 64)

    def narrowed(self) -> Floats:
        """As 32-bit floats."""
        target = Floats(self.code, "", 32)
        return Floats(self.code, self.code.emit(f"fptrunc {self.type} {self.text} to {target.type}"), 32)
