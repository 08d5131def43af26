"""Copies of input tiles with a chosen layout (parameters D3 and D4): where an element is, and the copying itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.kernel_ir import (
    Let,
    Literal,
    Statement,
    Value,
    add,
    divide,
    integer,
    maximum,
    multiply,
    remainder,
    subtract,
)  # fmt: skip
from jitmdh.mdh.codegen.scope import Scope
from jitmdh.mdh.codegen.shapes import Range, TileDim
from jitmdh.mdh.lowlevel.expr import Copy


@dataclass(frozen=True, slots=True)
class Digit:
    """One digit of a layout: steps of `block` along `axis`; `count` of them (None: as many as needed)."""

    axis: int
    block: int
    count: Value
    stride: Value


@dataclass(frozen=True, slots=True)
class Packed:
    """A copy: `origin` is the index of its first element per axis, `extent` how many indices it covers."""

    buffer: str
    origin: tuple[Value, ...]
    extent: tuple[Value, ...]
    digits: tuple[Digit, ...]
    size: Value

    def axis_digits(self, axis: int) -> list[Digit]:
        """Digits of one axis, coarsest first."""
        return sorted((d for d in self.digits if d.axis == axis), key=lambda d: -d.block)

    def lane_stride(self, axis: int) -> Value:
        """Distance between neighbours along `axis` inside its finest block."""
        return self.axis_digits(axis)[-1].stride

    def offset(self, scope: Scope, access: Access, dims: Mapping[str, TileDim], shifts: tuple[int, ...]) -> Value:
        total: Value = integer(0)
        values = {name: d.base for name, d in dims.items()}
        for axis, index in enumerate(access.index):
            digits = self.axis_digits(axis)
            shift = shifts[axis] - index.constant
            base = subtract(scope.affine(Affine(index.terms), values), self.origin[axis])
            block = digits[0].block
            if block > 1 and _multiple(index, dims) % block == 0 and 0 <= shift < block:
                total = add(total, multiply(divide(base, block), digits[0].stride))
                rest: Value = integer(shift)
                digits = digits[1:]
            else:
                rest = add(base, integer(shift))
            for n, digit in enumerate(digits):
                part = divide(rest, digit.block)
                total = add(total, multiply(part, digit.stride))
                if n + 1 < len(digits):
                    rest = remainder(rest, digit.block)
        return total


def _multiple(index: Affine, dims: Mapping[str, TileDim]) -> int:
    """What the index's distance from the copy's origin is known to be a multiple of."""
    if len(index.terms) != 1 or index.terms[0][1] != 1:
        return 1
    dim = dims.get(index.terms[0][0])
    return dim.multiple if dim else 1


def plan_copy(scope: Scope, copy: Copy, access: Access, ranges: Mapping[str, Range]) -> tuple[Packed, list[Statement]]:
    """Where the copy of what `access` reads for points in `ranges` lies; its sizes as statements."""
    out: list[Statement] = []

    def named(hint: str, value: Value) -> Value:
        if isinstance(value, Literal):
            return value
        name = scope.index(hint)
        out.append(Let(name, value))
        return name

    origin: list[Value] = []
    extent: list[Value] = []
    for axis, index in enumerate(access.index):
        low: dict[str, Value] = {}
        span: Value = integer(1)
        for name, coefficient in index.terms:
            if name not in ranges:
                continue
            begin, end = ranges[name]
            low[name] = begin if coefficient > 0 else add(end, integer(-1))
            span = add(span, multiply(add(subtract(end, begin), integer(-1)), integer(abs(coefficient))))
        # The constant is left out: shifts carry it (the tile adds it to every index).
        origin.append(named(f"{access.buffer}_first{axis}", scope.affine(Affine(index.terms), low)))
        extent.append(named(f"{access.buffer}_count{axis}", maximum(span, integer(0))))
    layout = copy.layout or tuple((axis, 1) for axis in range(len(access.index)))
    digits: list[Digit] = []
    stride: Value = integer(1)
    for axis, block in reversed(layout):
        larger = [b for a, b in layout if a == axis and b > block]
        if larger:
            count: Value = integer(min(larger) // block)
        else:
            count = divide(add(extent[axis], integer(block - 1)), block)
        digits.append(Digit(axis, block, named(f"{access.buffer}_digits", count), stride))
        stride = named(f"{access.buffer}_size", multiply(stride, count))
    buffer = scope.fresh(f"{access.buffer}_{copy.region}")
    return Packed(buffer, tuple(origin), tuple(extent), tuple(reversed(digits)), stride), out
