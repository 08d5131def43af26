"""Prefix sums: the carry of each result row, vectors of elements scanned in registers, parts shared among cores.

The lanes of a vector are scanned in log₂(lanes) steps, each combining a vector with itself shifted; then the carry is
combined in front. Over cores, each part is reduced first, the totals are scanned, and each part starts from its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.dtype import bool_
from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestPosition
from jitmdh.mdh.codegen.loops.recomposition.accumulators import Accumulators, Key, Results, select_lanes
from jitmdh.mdh.codegen.loops.recomposition.lane_reduction import point_key
from jitmdh.mdh.codegen.loops.recomposition.result_stores import ResultStores
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.codegen.microkernel.scalar_code import Term
from jitmdh.mdh.kernel.arithmetic import add, both, integer, multiply, spread
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    Iota,
    Let,
    Literal,
    Load,
    Merge,
    Shuffle,
    Statement,
    Store,
    Value,
)


class Carry(Accumulators):
    """What a prefix sum has come to, for each point of the dimensions around it."""

    def begin(self, start: tuple[Access, ...]) -> None:
        """From the identity, or from where the part before ended."""
        self.declare()
        tile = MicroKernelBuilder(self.scope, self.state.tile, {}, self.out)
        for p, point in enumerate(self.points):
            for name, access in zip(self.names[p, 0], start):
                self.out.append(Assign(name, spread(tile.load(-1, access, (), point), name.lanes)))

    def advance(self, state: NestPosition, out: list[Statement], results: Results | None) -> None:
        """One tile along the prefix sum; `results`: what its elements come to, if they are reductions themselves."""
        tile = MicroKernelBuilder(self.scope, state.tile, state.packed if results is None else {}, out)
        points = tile.points([n for n in self.expression.remaining if n in state.tile])
        scan = self.nest.scan
        assert scan is not None and self.group is not None
        places = {tuple(point[n] for n in self.remaining): p for p, point in enumerate(self.points)}
        carried: dict[Key, Sequence[Value]] = {}
        for point in sorted(points, key=lambda point: point[scan]):
            values = self.evaluate(tile, point) if results is None else results[point_key(point)]
            key = places[tuple(point[d] for d in self.remaining)], 0
            names = self.names[key]
            lanes = tile.dims[scan].lanes
            mask = tile.guard_mask(self.group.guard, point)
            if lanes > 1:
                mask = both(mask, tile.code.lane_mask(point))
            wide = [spread(v, max(lanes, names[0].lanes)) for v in values]
            if mask is not None:
                wide = [select_lanes(mask, v, i) for v, i in zip(wide, self.identity())]
            if lanes > 1:
                before = carried[key] if key in carried else [self._bound(tile, spread(n, lanes)) for n in names]
                carried[key] = self._advance_lanes(tile, point, before, wide)
            else:
                self._advance_one(tile, point, key, wide)
        for key, vectors in carried.items():
            out.extend(Assign(n, Shuffle(v, (0,), v.type)) for n, v in zip(self.names[key], vectors))

    @property
    def _exclusive(self) -> bool:
        return next(c.exclusive for c in self.expression.md_hom.combine if isinstance(c, PrefixSum))

    def _advance_one(self, tile: MicroKernelBuilder, point: dict[str, int], key: Key, values: list[Value]) -> None:
        names = self.names[key]
        if self._exclusive:
            ResultStores(self.nest, self.state).finish_one(tile, point, [Term(n) for n in names])
        self.combine_into(tile, tile.out, key, values, point)
        if not self._exclusive:
            ResultStores(self.nest, self.state).finish_one(tile, point, [Term(n) for n in names])

    def _advance_lanes(
        self, tile: MicroKernelBuilder, point: dict[str, int], before: Sequence[Value], values: list[Value]
    ) -> list[Value]:
        """A vector of elements: lanes first, then the carry in front, which is in all lanes; the carry behind it."""
        assert self.operator is not None
        function, lanes = self.operator.function, values[0].lanes
        scanned: Sequence[Value] = [self._bound(tile, v) for v in values]
        step = 1
        while step < lanes:  # the last lane of each finished block goes to the block behind it: near ones come first
            picks = tuple(n // step * step - 1 if n & step else lanes + n for n in range(lanes))
            shifted = [Merge(v, spread(i, lanes), picks) for v, i in zip(scanned, self.identity())]
            scanned = [self._bound(tile, c) for c in tile.apply(function, (*shifted, *scanned), point)]
            step *= 2
        totals = [self._bound(tile, t) for t in tile.apply(function, (*before, *scanned), point)]
        results: Sequence[Value] = totals
        if self._exclusive:
            picks = tuple(max(n - 1, 0) for n in range(lanes))
            first = Apply("eq", (Iota(lanes), spread(integer(0), lanes)), bool_, lanes)
            moved = [Shuffle(t, picks, t.type) for t in totals]
            results = [Apply("select", (first, b, m), m.type, lanes) for b, m in zip(before, moved)]
        ResultStores(self.nest, self.state).finish_one(tile, point, [Term(r) for r in results])
        # The same as the last lane of the totals; but the next vector waits for one operation, and for no shuffle.
        last = [self._bound(tile, Shuffle(v, (lanes - 1,) * lanes, v.type)) for v in scanned]
        return [self._bound(tile, c) for c in tile.apply(function, (*before, *last), point)]

    def _bound(self, tile: MicroKernelBuilder, value: Value) -> Value:
        name = self.scope.name("scanned", value.type, value.lanes)
        tile.out.append(Let(name, value))
        return name


def scan_totals(carry: Accumulators, totals: tuple[Access, ...], parts: Value, rows: Value) -> list[Statement]:
    """Each part's total becomes what all parts before it come to. totals: buffers with `rows` results per part."""
    scope, operator = carry.scope, carry.operator
    assert operator is not None and operator.identity is not None
    row, part = scope.index("row"), scope.index("part")
    body: list[Statement] = []
    names = []
    for constant in operator.identity:
        names.append(scope.name("before", constant.type))
        body.append(Declare(names[-1], Literal(constant.value, constant.type)))
    step: list[Statement] = []
    tile = MicroKernelBuilder(scope, {}, {}, step)
    read: list[Value] = []
    offsets = [add(multiply(part, scope.strides[a.buffer][0]), row) for a in totals]
    for access, offset in zip(totals, offsets):
        type = scope.types[access.buffer]
        name = scope.name("total", type)
        step.append(Let(name, Load(access.buffer, offset, type)))
        read.append(name)
    step += [Store(a.buffer, offset, n) for a, offset, n in zip(totals, offsets, names)]
    combined = [tile.let("next", r) for r in tile.apply(operator.function, (*names, *read), {})]
    step += [Assign(n, c) for n, c in zip(names, combined)]
    body.append(For(part, integer(0), parts, integer(1), tuple(step)))
    return [For(row, integer(0), rows, integer(1), tuple(body), "totals of the parts before")]
