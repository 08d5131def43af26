"""Buffers with a layout, for copies of inputs (D3, D4) and results that wait (R3, R4): where an element is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.tile_shapes import TileDim
from jitmdh.mdh.kernel.arithmetic import add, divide, integer, multiply, remainder, subtract
from jitmdh.mdh.kernel.ir import Literal, Value
from jitmdh.mdh.lowlevel.layout import PADDING, Layout, next_block, whole

# The value of an affine expression, given values of some of its names.
Evaluate = Callable[[Affine, Mapping[str, Value]], Value]


@dataclass(frozen=True, slots=True)
class Digit:
    """One digit of a layout: steps of `block` along `axis`; `count` of them (None: as many as needed)."""

    axis: int
    block: int
    count: Value
    stride: Value


@dataclass(frozen=True, slots=True)
class Packed:
    """A part of an array in a buffer of its own.

    origin: index of its first element per axis; extent: how many indices it covers; size: elements it takes;
    multiples: what these extents are known to be multiples of; first: where in the buffer the first element is.
    """

    buffer: str
    origin: tuple[Value, ...]
    extent: tuple[Value, ...]
    digits: tuple[Digit, ...]
    size: Value
    multiples: tuple[int, ...] = ()
    first: Value = Literal(0)

    def axis_digits(self, axis: int) -> list[Digit]:
        """Digits of one axis, coarsest first."""
        return sorted((d for d in self.digits if d.axis == axis), key=lambda d: -d.block)

    def whole(self, axis: int, block: int) -> bool:
        """Whether the part is known to consist of whole blocks along `axis`."""
        extent = self.extent[axis]
        known = isinstance(extent, Literal) and int(extent.value) % block == 0  # type: ignore[arg-type]
        return known or (bool(self.multiples) and self.multiples[axis] % block == 0)

    def lane_stride(self, axis: int) -> Value:
        """Distance between neighbours along `axis` inside its finest block."""
        return self.axis_digits(axis)[-1].stride

    def base(self, evaluate: Evaluate, access: Access, dims: Mapping[str, TileDim]) -> Value | None:
        """Where `access` is at the base of a tile; None where what is further depends on it, within blocks."""
        total = self.first
        for axis, index in enumerate(access.index):
            first, *finer = self.axis_digits(axis)
            if finer and _multiple(index, dims) % first.block != 0:
                return None
            total = add(total, self._of_whole_blocks(self._distance(axis, index, evaluate, dims), first))
        return total

    def further(self, base: Value, access: Access, shifts: tuple[int, ...]) -> Value:
        """From `base`, `shifts` along each axis further."""
        for axis, index in enumerate(access.index):
            rest = shifts[axis] - index.constant
            for digit in self.axis_digits(axis):
                steps, rest = divmod(rest, digit.block)
                base = add(base, multiply(digit.stride, integer(steps)))
        return base

    def offset(self, evaluate: Evaluate, access: Access, dims: Mapping[str, TileDim], shifts: tuple[int, ...]) -> Value:
        """Where `access` is at the base of a tile, `shifts` along each axis further, wherever blocks begin."""
        total = self.first
        for axis, index in enumerate(access.index):
            rest = add(self._distance(axis, index, evaluate, dims), integer(shifts[axis] - index.constant))
            total = self._digit_by_digit(total, axis, rest)
        return total

    def _distance(self, axis: int, index: Affine, evaluate: Evaluate, dims: Mapping[str, TileDim]) -> Value:
        """From the first element along an axis, of the base of a tile."""
        return subtract(evaluate(Affine(index.terms), {name: d.base for name, d in dims.items()}), self.origin[axis])

    def _of_whole_blocks(self, distance: Value, digit: Digit) -> Value:
        stride = digit.stride
        if isinstance(stride, Literal) and int(stride.value) % digit.block == 0:  # type: ignore[arg-type]
            return multiply(distance, integer(int(stride.value) // digit.block))  # type: ignore[arg-type]
        return multiply(divide(distance, digit.block), stride)

    def at(self, index: Sequence[Value]) -> Value:
        """Where the element `index`, counted from the first, is."""
        total = self.first
        for axis, rest in enumerate(index):
            total = self._digit_by_digit(total, axis, rest)
        return total

    def _digit_by_digit(self, total: Value, axis: int, rest: Value) -> Value:
        for digit in self.axis_digits(axis):
            total = add(total, multiply(divide(rest, digit.block), digit.stride))
            rest = remainder(rest, digit.block)
        return total

    def contiguous(self, axis: int) -> bool:
        """Whether neighbours along `axis` are neighbours in the buffer, all along."""
        return len(self.axis_digits(axis)) == 1 and self.lane_stride(axis) == integer(1)


def digits_of(
    layout: Layout, extent: Sequence[Value], named: Callable[[str, Value], Value]
) -> tuple[tuple[Digit, ...], Value]:
    """The digits of a part with `extent` elements per axis, and how many elements it takes.

    named: binds a value to a name made from a hint.
    """
    digits: list[Digit] = []
    size: Value = integer(1)
    for axis, block in reversed(whole(layout, len(extent))):
        if axis == PADDING:
            size = named("size", add(size, integer(block)))
            continue
        larger = next_block(layout, axis, block)
        if larger:
            count: Value = integer(larger // block)
        else:
            count = divide(add(extent[axis], integer(block - 1)), block)
        digits.append(Digit(axis, block, named("digits", count), size))
        size = named("size", multiply(size, count))
    return tuple(reversed(digits)), size


def _multiple(index: Affine, dims: Mapping[str, TileDim]) -> int:
    """What the index's distance from the copy's origin is known to be a multiple of."""
    if len(index.terms) != 1 or index.terms[0][1] != 1:
        return 1
    dim = dims.get(index.terms[0][0])
    return dim.multiple if dim else 1
