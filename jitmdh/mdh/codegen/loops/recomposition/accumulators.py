"""Accumulators of one tile of results: in registers (or in an L1 buffer), updated by tiles, combined, finished, stored.

This is the re-composition phase at the bottom of the nest. Partial results that have to wait for further parts of a
collapsed dimension go to memory (`Partial`) and come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.expr import Access, Expression
from jitmdh.mdh.algebra.groups import Group
from jitmdh.mdh.algebra.scalar import ScalarFunction
from jitmdh.mdh.codegen.context.tile_shapes import Point
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import Buffers, NestFacts, NestPosition, state_types
from jitmdh.mdh.codegen.loops.recomposition.ascending import ascending
from jitmdh.mdh.codegen.loops.recomposition.lane_reduction import LaneReduction, point_key
from jitmdh.mdh.codegen.loops.recomposition.result_stores import ResultStores
from jitmdh.mdh.codegen.loops.recomposition.tile_buffer import TileBuffer
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.codegen.microkernel.register_reuse import row, single_elements, sliding
from jitmdh.mdh.codegen.microkernel.scalar_code import Term
from jitmdh.mdh.kernel.arithmetic import both, spread
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, If, InOrder, Let, Literal, Name, Splat, Statement, Value

# Accumulators that leave few registers: the loads of one step stay behind the arithmetic of the step before it.
_MANY = 8
# Registers for vectors that are read, and for what is computed from them before it is combined; a fused multiply-add
# needs none for its product.
_VECTORS_OF_A_ROW, _VECTORS_FUSED = 3, 1

Key = tuple[int, int]  # number of a point of the tile, and of its accumulator

Results = Mapping[frozenset[tuple[str, int]], tuple[Value, ...]]
"""What each point of a tile comes to, by `point_key`."""


class Accumulators:
    """The state of each point of a tile of results, in variables; in memory where the low level says so."""

    def __init__(
        self, nest: NestFacts, state: NestPosition, out: list[Statement], level: int = 0, hint: str = "acc"
    ) -> None:  # fmt: skip
        """level: number of the group of dimensions whose operator combines, counted from the outermost."""
        self.nest, self.state, self.out, self.level, self.hint = nest, state, out, level, hint
        self.scope = nest.scope
        self.expression: Expression = nest.expression
        self.group: Group | None = nest.groups[level] if nest.groups else None
        self.operator = self.group.operator if self.group else None
        self.guard = self.expression.md_hom.guard
        inside = {name for group in nest.groups[level:] if not group.scan for name in group.names}
        self.remaining = [d.name for d in self.expression.md_hom.dims if d.name in state.tile and d.name not in inside]
        self.tile = MicroKernelBuilder(self.scope, state.tile, state.packed, out)
        self.points = self.tile.points(self.remaining)
        self.split_accumulators = [d for d in nest.low.split_accumulators if d in self.collapsed]
        self.ascending = None if level else ascending(nest, state)
        self.copies = 1
        for dim in self.split_accumulators:
            self.copies *= nest.counts[dim] // nest.lanes[dim]
        self.names: dict[Key, tuple[Name, ...]] = {}
        self.first: Value | None = None
        self.memory: TileBuffer | None = None
        if nest.low.tile_layout is not None and nest.scan is None:
            width = self.lanes if self._vector_collapses else 1
            types = state_types(nest)
            layout = nest.low.tile_layout
            self.memory = TileBuffer(self.scope, state.tile, self.remaining, types, layout, self.copies, width)

    @property
    def buffers(self) -> Buffers:
        """What has to be allocated around them."""
        return [] if self.memory is None else self.memory.buffers

    def _held(self, key: Key, out: list[Statement]) -> tuple[Name, ...]:
        """What accumulator `key` holds now."""
        return self.names[key] if self.memory is None else self.memory.load(out, self.points[key[0]], key[1])

    def _hold(self, key: Key, values: Sequence[Value], out: list[Statement]) -> None:
        """Let accumulator `key` hold `values`."""
        if self.memory is None:
            out += [Assign(n, spread(v, n.lanes)) for n, v in zip(self.names[key], values)]
        else:
            self.memory.store(out, self.points[key[0]], key[1], values)

    @property
    def needed(self) -> bool:
        return self.operator is not None

    @property
    def collapsed(self) -> tuple[str, ...]:
        """The dimensions that these accumulators combine."""
        return () if self.group is None or self.group.scan else self.group.names

    @property
    def lanes(self) -> int:
        """Lanes of an accumulator: those of the vector dimension, whether it remains or collapses."""
        return max(self.nest.lanes.values(), default=1) if self._vector_collapses else max(
            [d.lanes for d in self.state.tile.values()], default=1
        )  # fmt: skip

    @property
    def _vector_collapses(self) -> bool:
        return any(self.nest.lanes[d] > 1 for d in self.collapsed)

    def identity(self) -> tuple[Value, ...]:
        assert self.operator is not None and self.operator.identity is not None
        return tuple(spread(Literal(c.value, c.type), self.lanes) for c in self.operator.identity)

    def _start(self) -> tuple[Value, ...]:
        """What accumulators begin with."""
        if self.ascending is None:
            return self.identity()
        return tuple(spread(value, self.lanes) for value in self.ascending.start)

    # ------------------------------------------------------------------------------------------ declare

    def declare(self) -> None:
        """Accumulators with identities, or with the partial results so far."""
        partial = self.state.partial if self.level == 0 else None
        waiting = partial is not None and not partial.again
        through_caches = self.nest.blocked and not waiting and not self.state.to.streaming
        # Tiles of fewer vectors than others are for what is left over, which is little.
        whole = all(t.count * t.lanes >= self.nest.counts[d] for d, t in self.state.tile.items())
        if self.level == 0 and through_caches and whole and self.state.to.out_view == self.expression.out_view:
            tile = MicroKernelBuilder(self.scope, self.state.tile, {}, self.out)
            for access in self.state.to.out_view:
                tile.prefetch_results(access, self.points)
        if waiting:
            self.first = self.nest.flag(self.state, 0, self.out)
        for p in range(len(self.points)):
            for copy in range(self.copies):
                identity = self._start()
                if self.memory is not None:
                    self._hold((p, copy), identity, self.out)
                    continue
                names = tuple(self.scope.name(self.hint, i.type, i.lanes) for i in identity)
                self.names[p, copy] = names
                self.out += [Declare(name, value) for name, value in zip(names, identity)]
        if waiting and not self._vector_collapses and self.copies == 1:
            assert partial is not None and self.first is not None
            restore: list[Statement] = []
            tile = MicroKernelBuilder(self.scope, self.state.tile, {}, restore)
            for p, point in enumerate(self.points):
                self._hold((p, 0), [tile.load(-1, access, (), point) for access in partial.buffers], restore)
            self.out.append(If(self.first, (), tuple(restore)))

    # ------------------------------------------------------------------------------------------- update

    def evaluate(self, tile: MicroKernelBuilder, point: Point) -> tuple[Value, ...]:
        """`f` at `point`, where a fault is an error."""
        terms = self.terms(tile, point)
        tile.fail(terms, [tile.guard_mask(self.guard, point)])
        return tuple(t.value for t in terms)

    def terms(self, tile: MicroKernelBuilder, point: Point) -> tuple[Term, ...]:
        """`f` at `point`."""
        view = self.expression.inp_view
        arguments = [tile.load(n, a, self.nest.read_under[n], point) for n, a in enumerate(view)]
        if self.expression.procedures:
            tile.scalars.inside[0] = both(tile.guard_mask(self.guard, point), tile.code.lane_mask(point))
        return tile.terms(self.expression.md_hom.function, [Term(a) for a in arguments], point)

    def update(self, tile: MicroKernelBuilder, out: list[Statement], results: Results | None = None) -> None:
        """Combine the values of the tile's points into the accumulators: of `f`, or `results` of inner operators."""
        assert self.operator is not None and self.group is not None
        collapsed = [d for d in self.collapsed if d in tile.dims]
        places = [(step, p) for step in tile.points(collapsed) for p in range(len(self.points))]
        order = [d for d in self.nest.low.scalar_order if d in (*collapsed, *self.remaining)]
        by_rows = results is None and not order and self.ascending is None
        slid = _register_reuse(self.operator, self.nest, tile, collapsed) if by_rows else None
        if order:
            places.sort(key=lambda place: tuple((self.points[place[1]] | place[0])[d] for d in order))
        elif slid is not None:
            places.sort(key=lambda place: row(slid, self.points[place[1]] | place[0], tile.lane_dim))
        # Loops over ranges from data end where these do.
        guard = tuple(g for g in self.group.guard if g in self.guard)
        steps_first = set(order[: len(collapsed)]) <= set(collapsed)
        many = slid is not None or len(self.points) >= _MANY
        in_order = results is None and steps_first and tile.lane_dim is not None and many
        forgets = slid is not None and not self._all_fit(tile)
        before: object = None
        ascending = self.ascending
        numbered, function = (None, None) if ascending is None else (ascending.numbered, ascending.function)
        for step, p in places:
            here = step if slid is None else row(slid, self.points[p] | step, tile.lane_dim)
            if in_order and before not in (None, here):
                out.append(InOrder())
                if forgets:
                    tile.forget()
            before = here
            point = self.points[p] | step
            values = self.evaluate(tile, point) if results is None else results[point_key(point)]
            mask = tile.guard_mask(guard, point)
            if tile.lane_dim in self.collapsed:
                mask = both(mask, tile.code.lane_mask(point))
            if mask is not None:
                values = tuple(select_lanes(mask, v, i) for v, i in zip(values, self.identity()))
            if numbered is not None:
                values = numbered.taken(tile, values[0])
            values = tuple(spread(v, self.lanes) for v in values)
            key = p, _copy(self.nest, tile, step, self.split_accumulators)
            self.combine_into(tile, out, key, values, point, function)

    def _all_fit(self, tile: MicroKernelBuilder) -> bool:
        """Whether what is the same in all lanes can stay in registers, beside accumulators and the vectors of a row."""
        elements = single_elements(self.expression.inp_view, tile.dims, tile.lane_dim)
        held = len(self.points) * self.copies * len(self.identity())
        fused = self.operator is not None and self.operator.sums_products(self.expression.md_hom.function)
        return elements + held + (_VECTORS_FUSED if fused else _VECTORS_OF_A_ROW) <= self.scope.machine.registers

    def combine_into(
        self,
        tile: MicroKernelBuilder,
        out: list[Statement],
        key: Key,
        values: Sequence[Value],
        point: Point,
        function: ScalarFunction | None = None,
    ) -> None:
        """function: other than the operator's."""
        assert self.operator is not None
        names = self._held(key, out)
        results = tile.apply(function or self.operator.function, (*names, *values), point)
        if len(results) > 1:  # components may read each other: all new values before the first assignment
            bound = []
            for result in results:
                name = self.scope.name("next", result.type, result.lanes)
                out.append(Let(name, result))
                bound.append(name)
            results = tuple(bound)
        self._hold(key, results, out)

    # ------------------------------------------------------------------------------------------- finish

    def finish(self) -> None:
        """Combine copies and lanes, then finish and store, or put away for the next part."""
        states = self._combined()
        partial = self.state.partial
        if partial is None or partial.again:
            self._finish(self.out, states)
            return
        if self.first is not None and (self._vector_collapses or self.copies > 1):
            states = self._with_earlier(states)
        if self.state.to.finish is None and partial.buffers == self.state.to.out_view:
            self._stores.put(self.out, partial.buffers, self.points, states)
            return
        last = self.nest.flag(self.state, 1, self.out)
        then: list[Statement] = []
        otherwise: list[Statement] = []
        self._finish(then, states)
        self._stores.put(otherwise, partial.buffers, self.points, states)
        self.out.append(If(last, tuple(then), tuple(otherwise)))

    def results(self) -> Results:
        """Of an inner operator: what the one outside of it combines, by points of the tile."""
        assert self.group is not None
        states = {point_key(point): values for point, values in zip(self.points, self._combined())}
        between = self.group.between
        if between is None:
            return states
        tile = MicroKernelBuilder(self.scope, self.state.tile, {}, self.out)
        guard = self.expression.md_hom.guard_over(between.depth)
        passed: dict[frozenset[tuple[str, int]], tuple[Value, ...]] = {}
        for point in self.points:
            loads = [Term(tile.load(-1, a, guard, point)) for a in between.inp_view]
            terms = tile.terms(between.function, (*map(Term, states[point_key(point)]), *loads), point)
            tile.fail(terms, [tile.guard_mask(guard, point)])
            passed[point_key(point)] = tuple(tile.bound("passed", t.value) for t in terms)
        return passed

    def _combined(self) -> list[tuple[Value, ...]]:
        """The state of each point, of all copies and lanes."""
        tile = MicroKernelBuilder(self.scope, self.state.tile, {}, self.out)
        if self.ascending is not None and self.ascending.numbered is not None:
            held = [[self._held((p, n), self.out) for n in range(self.copies)] for p in range(len(self.points))]
            return [self.ascending.numbered.combined(tile, copies) for copies in held]
        states: list[tuple[Value, ...]] = []
        for p, point in enumerate(self.points):
            for copy in range(1, self.copies):
                self.combine_into(tile, self.out, (p, 0), self._held((p, copy), self.out), point)
            states.append(self._held((p, 0), self.out))
        if self._vector_collapses:
            assert self.operator is not None
            reduction = LaneReduction(
                self.nest, self.state, self.points, self.remaining, self.operator, self.lanes, self.level
            )
            reduced = reduction.reduced(tile, states)
            self.state, self.points, states = reduced.state, reduced.points, reduced.values
        return states

    def _with_earlier(self, states: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
        """Combine with what earlier parts left, for accumulators that could not start from it."""
        assert self.state.partial is not None and self.first is not None and self.operator is not None
        total: list[tuple[Value, ...]] = []
        restore: list[Statement] = []
        tile = MicroKernelBuilder(self.scope, self.state.tile, {}, restore)
        for point, values in zip(self.points, states):
            names = tuple(self.scope.name("sum", v.type, v.lanes) for v in values)
            self.out += [Declare(n, v) for n, v in zip(names, values)]
            old = [tile.load(-1, a, (), point) for a in self.state.partial.buffers]
            old = [spread(o, n.lanes) for o, n in zip(old, names)]
            results = tile.apply(self.operator.function, (*old, *names), point)
            bound = [tile.let("next", r) for r in results]
            restore += [Assign(n, b) for n, b in zip(names, bound)]
            total.append(tuple(names))
        self.out.append(If(self.first, (), tuple(restore)))
        return total

    def _finish(self, out: list[Statement], states: Sequence[tuple[Value, ...]]) -> None:
        tile = MicroKernelBuilder(self.scope, self.state.tile, self.state.packed, out)
        self._stores.finish(tile, self.points, [[Term(v) for v in values] for values in states])

    @property
    def _stores(self) -> ResultStores:
        return ResultStores(self.nest, self.state)

    # --------------------------------------------------------------------------- without a reduction; scans

    def direct(self, tile: MicroKernelBuilder) -> None:
        """No dimension collapses: `f`, finish, store at every point.

        All results of a tile are computed before the first is stored: a load right behind a store to an address that
        is alike in its low bits waits for it (rows whose length is a power of two).
        """
        points = self.points
        if order := self.nest.low.scalar_order:
            points = sorted(points, key=lambda point: tuple(point[d] for d in order))
        behind, finished = len(tile.out), []
        for point in points:
            terms = self.terms(tile, point)
            if self.memory is not None:  # where the low level wants them
                values = self.memory.through(tile.out, point, 0, [t.value for t in terms])
                terms = tuple(Term(value, t.faults) for value, t in zip(values, terms))
            finished.append(self._stores.finished(tile, point, terms))
        if self.memory is None:
            tile.out[behind:] = self._stores.transposed(tile).loads(tile.out[behind:])
        self._stores.store(tile, points, finished)


def _register_reuse(
    operator: Operator, nest: NestFacts, tile: MicroKernelBuilder, collapsed: list[str]
) -> Access | None:
    """The input by whose rows the points of the tile are taken; None: step by step."""
    if not operator.commutative:
        return None
    view = [a for a in nest.expression.inp_view if not tile.code.is_indirect(a)]
    return sliding(view, tile.dims, tile.lane_dim, collapsed)


def _copy(nest: NestFacts, tile: MicroKernelBuilder, step: Point, split: Sequence[str]) -> int:
    """The accumulator that a step of dimensions with split accumulators goes to."""
    copy = 0
    for dim in split:
        index = step[dim] // tile.dims[dim].lanes
        copy = copy * (nest.counts[dim] // nest.lanes[dim]) + index
    return copy


def select_lanes(mask: Value, value: Value, otherwise: Value) -> Value:
    lanes = max(mask.lanes, value.lanes, otherwise.lanes)
    operands = (spread(mask, lanes), spread(value, lanes), narrow(otherwise, lanes))
    return Apply("select", operands, value.type, lanes)


def narrow(value: Value, lanes: int) -> Value:
    """A splat as `lanes` lanes (identities are splats of accumulators' width)."""
    if isinstance(value, Splat):
        return spread(value.value, lanes)
    return spread(value, lanes)
