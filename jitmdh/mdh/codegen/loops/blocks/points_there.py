"""Which points of a thread's tile exist: code for those that do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from jitmdh.base.dtype import bool_
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import add, both, compare, integer
from jitmdh.mdh.kernel.ir import For, If, Let, Statement, Value
from jitmdh.mdh.lowlevel.blocks import around

Write = Callable[[MicroKernelBuilder, list[Point]], None]
"""Writes the code of some points of a tile."""


class PointsThere:
    """Of a nest for blocks of threads. extents: of its dimensions, once they are known; early: dimensions whose parts
    begin before their first points."""

    def __init__(self, nest: NestFacts, extents: Mapping[str, Value]) -> None:
        self.nest, self.scope, self.parts, self.extents = nest, nest.scope, nest.low.parts, extents
        self.dims = {d.name: d for d in nest.expression.md_hom.dims}
        self.early = {p.dim for p in self.parts if p.early}

    def is_whole(self, dim: str) -> bool:
        """Whether the largest parts are known to make up the dimension."""
        if dim in self.early:
            return False
        largest = max(p.size for p in self.parts if p.dim == dim)
        return self.scope.multiple(self.dims[dim].extent) % largest == 0

    def write(
        self, state: NestPosition, points: Sequence[Point], names: Sequence[str], write: Write, out: list[Statement],
        also: Value | None = None,
    ) -> None:  # fmt: skip
        """What `write` writes for `points`, those of them that are there: all at once where all are, else those that
        are there on the same condition."""

        def there(last: Point, first: Point | None = None) -> Value | None:
            holds = also
            for name in names:
                if self._may_be_outside(name):
                    place = add(state.tile[name].base, integer(last.get(name, 0)))
                    holds = both(holds, compare("lt", place, self.extents[name]))
                if name in self.early:
                    place = add(state.tile[name].base, integer((first or last).get(name, 0)))
                    holds = both(holds, compare("ge", place, integer(0)))
            return holds

        def written(some: list[Point]) -> list[Statement]:
            body: list[Statement] = []
            tile = MicroKernelBuilder(
                self.scope, state.tile, state.packed, body, relaxed=self.nest.operator is not None
            )
            write(tile, some)
            return body

        points = list(points)
        ends = ({name: end(point.get(name, 0) for point in points) for name in names} for end in (max, min))
        whole = there(*ends)
        if whole is None:
            out += written(points)
            return
        rest: list[Statement] = []
        if len(points) > 1 and whole != also:
            others = [(condition, some) for condition, some in _by(there, points) if condition != whole]
            if others and (dim := _repeated(self.nest, state)) is not None:
                rest.append(self._one_by_one(dim, state, points, names, write))
            else:
                rest += [If(condition, tuple(written(some))) for condition, some in others]
        name = self.scope.name("there", bool_)
        out += [Let(name, whole), If(name, tuple(written(points)), tuple(rest))]

    def _one_by_one(
        self, dim: str, state: NestPosition, points: Sequence[Point], names: Sequence[str], write: Write
    ) -> For:
        """A loop over the points along `dim`."""
        tile, index = state.tile[dim], self.scope.index(dim)
        body: list[Statement] = []
        base = self.scope.named(dim, add(tile.base, index), body)
        inside = replace(state, tile={**state.tile, dim: TileDim(base, 1, offsets=(0,))})
        once = [{**point, dim: 0} for point in points if point[dim] == tile.offsets[0]]
        self.write(inside, once, names, write, body)
        step = tile.offsets[1] - tile.offsets[0]
        return For(index, integer(0), integer(tile.count * step), integer(step), tuple(body), f"points of {dim}")

    def _may_be_outside(self, dim: str) -> bool:
        """Whether a thread may be at points that do not exist; loops end where these begin."""
        mine = [p for p in self.parts if p.dim == dim]
        others = [p for p in mine if p.way != "loop" and not (p.way == "block" and around(mine, p) is None)]
        return bool(others) and not self.is_whole(dim)


def _repeated(nest: NestFacts, state: NestPosition) -> str | None:
    """The outermost dimension that collapses and of which these points have several, as far apart from each other:
    code for one of them serves all, since they go to the same results."""
    unrolled = nest.low.scalar_order or tuple(p.dim for p in nest.low.parts if p.way == "unroll")
    found = [d for d in dict.fromkeys(unrolled) if d in nest.collapsed and d in state.tile]
    found = [d for d in found if state.tile[d].count > 1]
    even = all(len({b - a for a, b in pairwise(state.tile[d].offsets)}) == 1 for d in found)
    return found[0] if found and even else None


def _by(there: Callable[[Point], Value | None], points: Sequence[Point]) -> list[tuple[Value, list[Point]]]:
    """Points by the condition on which they are there, in the order of the first of each."""
    found: dict[Value, list[Point]] = {}
    for point in points:
        condition = there(point)
        assert condition is not None
        found.setdefault(condition, []).append(point)
    return list(found.items())
