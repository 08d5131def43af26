"""An L1 buffer for what a register tile comes to (parameters S5 = L1 and S6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.codegen.context.packed_layout import Packed, digits_of
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply, spread
from jitmdh.mdh.kernel.ir import Let, Load, Name, Statement, Store, Value
from jitmdh.mdh.lowlevel.layout import Layout


class TileBuffer:
    """A place for each result of a register tile, laid out over the dimensions that remain; one buffer per component.

    A result is one element; where the lanes belong to a dimension that collapses, it is a vector of partial ones.
    copies: so many places for each result.
    """

    def __init__(
        self, scope: Scope, dims: Mapping[str, TileDim], remaining: Sequence[str], types: Sequence[ScalarType],
        layout: Layout, copies: int, width: int,
    ) -> None:  # fmt: skip
        self.scope, self.remaining, self.width = scope, remaining, width
        extent = [integer(dims[d].count * dims[d].lanes) for d in remaining]
        digits, size = digits_of(layout, extent, lambda _, value: value)
        self.packed = Packed("", (), tuple(extent), digits, size)
        self.lanes, self.stride = width, integer(1)
        for axis, d in enumerate(remaining):
            if dims[d].lanes > 1:
                self.lanes = dims[d].lanes
                self.stride = multiply(self.packed.lane_stride(axis), integer(width))  # type: ignore[assignment]
        count = multiply(size, integer(copies * width))
        self.buffers = [(scope.fresh("tile"), type, count) for type in types]
        scope.types |= {name: type for name, type, _ in self.buffers}

    def _place(self, point: Point, copy: int) -> Value:
        row = multiply(self.packed.size, integer(copy * self.width))
        return add(row, multiply(self.packed.at([integer(point[d]) for d in self.remaining]), integer(self.width)))

    def load(self, out: list[Statement], point: Point, copy: int) -> tuple[Name, ...]:
        """What is there now."""
        names = []
        for buffer, type, _ in self.buffers:
            name = self.scope.name("held", type, self.lanes)
            out.append(Let(name, Load(buffer, self._place(point, copy), type, self.lanes, self.stride)))
            names.append(name)
        return tuple(names)

    def store(self, out: list[Statement], point: Point, copy: int, values: Sequence[Value]) -> None:
        for (buffer, _, _), value in zip(self.buffers, values):
            out.append(Store(buffer, self._place(point, copy), spread(value, self.lanes), self.stride))

    def through(self, out: list[Statement], point: Point, copy: int, values: Sequence[Value]) -> tuple[Name, ...]:
        """The values, put into memory and read back."""
        self.store(out, point, copy, values)
        return self.load(out, point, copy)
