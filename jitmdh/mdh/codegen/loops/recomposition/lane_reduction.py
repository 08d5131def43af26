"""Horizontal reduction of a register tile's accumulators: what their lanes come to, as vectors of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.codegen.microkernel.horizontal_reduction import combined
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import Shuffle, Value


@dataclass(frozen=True, slots=True)
class ReducedLanes:
    """The state of each of `points`, which are those of the tile of `state`."""

    state: NestPosition
    points: list[dict[str, int]]
    values: list[tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class LaneReduction:
    """Accumulators of `lanes` lanes for `points` along the dimensions `remaining`.

    level: number of the group of dimensions that `operator` combines, counted from the outermost.
    """

    nest: NestFacts
    state: NestPosition
    points: list[dict[str, int]]
    remaining: Sequence[str]
    operator: Operator
    lanes: int
    level: int

    def reduced(self, tile: MicroKernelBuilder, states: list[tuple[Value, ...]]) -> ReducedLanes:
        """What the lanes of each state come to: one value for each point.

        Where results are contiguous in memory these become lanes, and points of the tile are their vectors.
        """
        function, lanes = self.operator.function, self.lanes

        def combine(left: tuple[Value, ...], right: tuple[Value, ...]) -> tuple[Value, ...]:
            return tuple(tile.let("lanes", r) for r in tile.apply(function, (*left, *right), {}))

        state, points = self.state, self.points
        width, slots = 1, list[tuple[Value, ...] | None](states)
        if (dim := self._contiguous_dim(tile)) is not None:
            found = dict(zip(map(point_key, points), states))
            shape = state.tile[dim]
            width = self._width(shape.count)
            end = add(shape.base, integer(shape.count)) if shape.count % width else None
            moved = TileDim(shape.base, -(-shape.count // width), width, end, shape.multiple)
            state = replace(state, tile={**state.tile, dim: moved})
            points = MicroKernelBuilder(self.nest.scope, state.tile, {}, []).points(self.remaining)
            slots = [found.get(point_key({**p, dim: p[dim] + n})) for p in points for n in range(width)]
        results: list[tuple[Value, ...]] = []
        for first in range(0, len(slots), lanes):
            group = slots[first : first + lanes]
            group += [None] * (_power_of_two(len(group)) - len(group))
            total = combined(group, combine)
            for begin in range(0, min(lanes, len(slots) - first), width):
                picks = tuple(range(begin, begin + width))
                whole = width == total[0].lanes
                results.append(total if whole else tuple(tile.let("sum", Shuffle(v, picks, v.type)) for v in total))
        return ReducedLanes(state, points, results)

    def _contiguous_dim(self, tile: MicroKernelBuilder) -> str | None:
        """The dimension along which a tile has several results that are contiguous wherever they are written."""
        if self.level or self.state.to.scatter is not None or self.state.to.streaming:
            return None
        partial = self.state.partial
        written = (*self.state.to.out_view, *(() if partial is None else partial.buffers))
        for dim in reversed(self.remaining):
            shape = self.state.tile[dim]
            if self._width(shape.count) > 1 and all(self._is_contiguous(tile, a, dim) for a in written):
                return dim
        return None

    def _width(self, count: int) -> int:
        """Lanes for `count` results that are contiguous: one vector, masked, or whole ones; 1: no vectors."""
        if count <= self.lanes:
            return _power_of_two(count)
        return min(self.lanes, count & -count)

    def _is_contiguous(self, tile: MicroKernelBuilder, access: Access, dim: str) -> bool:
        """Whether neighbours along `dim` are neighbours in memory."""
        if tile.code.is_indirect(access):
            return False
        axes = [axis for axis, index in enumerate(access.index) if index.coefficient(dim)]
        if len(axes) != 1 or access.index[axes[0]].coefficient(dim) != 1:
            return False
        if (packed := self.nest.scope.layouts.get(access.buffer)) is not None:
            return packed.contiguous(axes[0])
        among = self.nest.scope.interleaved.get(access.buffer)
        return self.nest.scope.strides[access.buffer][axes[0]] == integer(among.period if among else 1)


def point_key(point: Point) -> frozenset[tuple[str, int]]:
    """A point as a key."""
    return frozenset(point.items())


def _power_of_two(count: int) -> int:
    """The least that is not less."""
    return 1 << (count - 1).bit_length()
