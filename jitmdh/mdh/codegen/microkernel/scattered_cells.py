"""Updates of cells that points may share: load, combine, store, one lane after the other where lanes may meet."""

from __future__ import annotations

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.tile_shapes import Point
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import both, integer, spread
from jitmdh.mdh.kernel.ir import Apply, Atomic, Iota, Load, Name, Shuffle, Store, Value


@dataclass(frozen=True, slots=True)
class ScatterUpdate:
    """How a nest updates its output. dims: those whose points may meet in one cell.

    buffers: names of the copies of the output that neighbouring points take turns in (none: the output itself); a
    processor would wait for its own store if one cell were loaded right after it. atomic: where other threads may be
    at the same cell, the operator as one of memory (`kernel.verify.ATOMIC`).
    """

    operator: Operator
    dims: tuple[str, ...]
    buffers: tuple[str, ...] = ()
    atomic: str = ""

    def update(
        self, tile: MicroKernelBuilder, access: Access, guard: tuple[Affine, ...], point: Point, value: Value
    ) -> None:
        """`access = access ⊕ value` at `point`."""
        guard = access.guard + guard
        lanes, offset, stride = tile.addresses.place(access, guard, point)
        mask = tile.guard_mask(guard, point)
        lanes = max(lanes, value.lanes, 1 if mask is None else mask.lanes)
        turn = self._turn(tile, point)
        if lanes == 1 and tile.lane_dim not in self.dims:
            self._combine(tile, self._copy(access, turn), offset, value, stride, mask)
            return
        width = tile.dims[tile.lane_dim].lanes if tile.lane_dim is not None else 1
        mask = both(mask, tile.code.lane_mask(point))
        value = spread(value, width)
        if tile.lane_dim not in self.dims:
            mask = None if mask is None else spread(mask, width)
            self._combine(tile, self._copy(access, turn), offset, value, stride, mask)
            return
        value = value if isinstance(value, Name) else tile.bound("value", value)
        if mask is not None:
            mask = tile.bound("mask", spread(mask, width))
        if offset.lanes == 1 and stride != integer(0) and lanes > 1 and tile.addresses.varies(access):
            steps = Apply("mul", (Iota(width), spread(stride, width)), stride.type, width)
            offset = tile.bound("at", Apply("add", (spread(offset, width), steps), offset.type, width))
        for lane in range(width):
            one = offset if offset.lanes == 1 else Shuffle(offset, (lane,), offset.type)
            inside = None if mask is None else Shuffle(mask, (lane,), mask.type)
            copy = self._copy(access, turn * width + lane)
            self._combine(tile, copy, one, Shuffle(value, (lane,), value.type), integer(1), inside)

    def _turn(self, tile: MicroKernelBuilder, point: Point) -> int:
        """The number of the step inside the tile."""
        number = 0
        for name, dim in tile.dims.items():
            number = number * dim.count + point.get(name, 0) // dim.lanes
        return number

    def _copy(self, access: Access, turn: int) -> str:
        return self.buffers[turn % len(self.buffers)] if self.buffers else access.buffer

    def _combine(
        self, tile: MicroKernelBuilder, buffer: str, offset: Value, value: Value, stride: Value, mask: Value | None
    ) -> None:  # fmt: skip
        if self.atomic:
            assert value.lanes == 1
            tile.out.append(Atomic(self.atomic, buffer, offset, value, mask))
            return
        old = tile.bound(buffer, Load(buffer, offset, value.type, value.lanes, stride, mask))
        (new,) = tile.apply(self.operator.function, (old, value), {})
        tile.out.append(Store(buffer, offset, spread(new, value.lanes), stride, mask))
