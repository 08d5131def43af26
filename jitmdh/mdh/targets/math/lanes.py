"""Straight-line code on vectors, written like arithmetic: what the mathematical functions are made of.

    x = code.floats("%x", 64);   y = (x * 2.0 + 1.0).chosen(x > 0.0, x)

Every operation is rounded on its own, except `fused`, which is one instruction where the processor has it. A target is
a `Code`: how it spells these instructions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from jitmdh.base.records import dataclass

Arithmetic = Literal["fadd", "fsub", "fmul", "fdiv"]
Integer = Literal["add", "sub", "and", "xor", "shl", "ashr"]
Compare = Literal["olt", "ogt", "oge", "oeq", "uge", "uno"]
Function = Literal["fabs", "sqrt", "copysign", "fmuladd", "floor"]


class Code(ABC):
    """The body of a function in the making. Operands and results are texts; bits: of each lane of them."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.lines: list[str] = []

    def floats(self, text: str, bits: int) -> Floats:
        return Floats(self, text, bits)

    @abstractmethod
    def float_constant(self, value: float, bits: int) -> str: ...

    @abstractmethod
    def integer_constant(self, value: int, bits: int) -> str: ...

    @abstractmethod
    def arithmetic(self, op: Arithmetic, bits: int, left: str, right: str) -> str: ...

    @abstractmethod
    def negated(self, bits: int, value: str) -> str: ...

    @abstractmethod
    def integer(self, op: Integer, bits: int, left: str, right: str) -> str:
        """Sums and differences wrap; `ashr` keeps the sign."""

    @abstractmethod
    def compared(self, op: Compare, bits: int, left: str, right: str) -> str:
        """A mask. The first letter says what NaN gives: o, false; u, true."""

    @abstractmethod
    def is_nonzero(self, bits: int, value: str) -> str:
        """Of integers, a mask."""

    @abstractmethod
    def joined(self, op: Literal["and", "or"], left: Mask, right: Mask) -> str: ...

    @abstractmethod
    def chosen(self, mask: Mask, bits: int, then: str, otherwise: str) -> str: ...

    @abstractmethod
    def function(self, name: Function, bits: int, operands: Sequence[str]) -> str:
        """`fmuladd` is a product and a sum, rounded once where the processor can."""

    @abstractmethod
    def float_bits(self, bits: int, value: str) -> str:
        """The integers with the bits of these floats."""

    @abstractmethod
    def bits_float(self, bits: int, value: str) -> str:
        """The floats with the bits of these integers."""

    @abstractmethod
    def widened(self, value: str) -> str:
        """Floats of 32 bits as those of 64."""

    @abstractmethod
    def narrowed(self, value: str) -> str:
        """Floats of 64 bits as those of 32."""


@dataclass(frozen=True, slots=True)
class Mask:
    """A truth for each lane. bits: of the lanes of what has been compared."""

    code: Code
    text: str
    bits: int

    def __and__(self, other: Mask) -> Mask:
        return Mask(self.code, self.code.joined("and", self, other), self.bits)

    def __or__(self, other: Mask) -> Mask:
        return Mask(self.code, self.code.joined("or", self, other), self.bits)


@dataclass(frozen=True, slots=True)
class Bits:
    """Integers as wide as the floats they belong to; arithmetic wraps."""

    code: Code
    text: str
    bits: int

    def _apply(self, op: Integer, other: Bits | int) -> Bits:
        right = other.text if isinstance(other, Bits) else self.code.integer_constant(other, self.bits)
        return Bits(self.code, self.code.integer(op, self.bits, self.text, right), self.bits)

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
        return Mask(self.code, self.code.is_nonzero(self.bits, self.text), self.bits)

    def as_floats(self) -> Floats:
        """The floats with these bits."""
        return Floats(self.code, self.code.bits_float(self.bits, self.text), self.bits)

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

    def constant(self, value: float) -> Floats:
        return Floats(self.code, self.code.float_constant(value, self.bits), self.bits)

    def _of(self, other: Floats | float) -> Floats:
        return other if isinstance(other, Floats) else self.constant(other)

    def _apply(self, op: Arithmetic, left: Floats | float, right: Floats | float) -> Floats:
        text = self.code.arithmetic(op, self.bits, self._of(left).text, self._of(right).text)
        return Floats(self.code, text, self.bits)

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
        return Floats(self.code, self.code.negated(self.bits, self.text), self.bits)

    def _compare(self, op: Compare, other: Floats | float) -> Mask:
        return Mask(self.code, self.code.compared(op, self.bits, self.text, self._of(other).text), self.bits)

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
        return self._function("fmuladd", self._of(factor), self._of(addend))

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
        text = self.code.chosen(mask, self.bits, self.text, self._of(otherwise).text)
        return Floats(self.code, text, self.bits)

    def as_bits(self) -> Bits:
        """The integers with the same bits."""
        return Bits(self.code, self.code.float_bits(self.bits, self.text), self.bits)

    def _function(self, name: Function, *others: Floats) -> Floats:
        text = self.code.function(name, self.bits, [o.text for o in (self, *others)])
        return Floats(self.code, text, self.bits)

    def size(self) -> Floats:
        """Absolute values."""
        return self._function("fabs")

    def root(self) -> Floats:
        return self._function("sqrt")

    def with_sign_of(self, other: Floats) -> Floats:
        return self._function("copysign", other)

    def at_most(self, limit: float) -> Floats:
        """The lesser of both; NaN stays."""
        return self.constant(limit).chosen(self > limit, self)

    def at_least(self, limit: float) -> Floats:
        return self.constant(limit).chosen(self < limit, self)

    def widened(self) -> Floats:
        """As 64-bit floats."""
        return Floats(self.code, self.code.widened(self.text), 64)

    def narrowed(self) -> Floats:
        """As 32-bit floats."""
        return Floats(self.code, self.code.narrowed(self.text), 32)
