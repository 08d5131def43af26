"""Accumulators of one tile of results: declared in registers, updated by tiles, combined, finished, stored.

This is the re-composition phase at the bottom of the nest. Partial results that have to wait for further parts of a
collapsed dimension go to memory (`Partial`) and come back.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.dtype import bool_
from jitmdh.mdh.algebra.expr import Access, Expression
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.kernel_ir import (
    Apply,
    Assign,
    Declare,
    If,
    Let,
    Literal,
    Name,
    Shuffle,
    Splat,
    Statement,
    Value,
    both,
    compare,
    spread,
)  # fmt: skip
from jitmdh.mdh.codegen.nest_facts import NestFacts, State
from jitmdh.mdh.codegen.shapes import Point
from jitmdh.mdh.codegen.tile import Term, Tile


class Accumulators:
    """The state of each point of a tile of results, in variables."""

    def __init__(self, nest: NestFacts, state: State, out: list[Statement], hint: str = "acc") -> None:
        self.nest, self.state, self.out, self.hint = nest, state, out, hint
        self.scope = nest.scope
        self.expression: Expression = nest.expression
        self.operator = nest.operator
        self.guard = self.expression.md_hom.guard
        self.remaining = [n for n in self.expression.remaining if n in state.tile]
        self.tile = Tile(self.scope, state.tile, state.packed, out)
        self.points = self.tile.points(self.remaining)
        self.late = [d for d in nest.low.late if d in nest.collapsed and nest.scan is None]
        self.copies = 1
        for dim in self.late:
            self.copies *= nest.counts[dim] // nest.lanes[dim]
        self.names: dict[tuple[int, int], tuple[Name, ...]] = {}
        self.first: Value | None = None

    @property
    def needed(self) -> bool:
        return self.operator is not None

    @property
    def lanes(self) -> int:
        """Lanes of an accumulator: those of the vector dimension, whether it remains or collapses."""
        if self.nest.scan is not None:
            return max([d.lanes for d in self.state.tile.values()], default=1)
        return max(self.nest.lanes.values(), default=1) if self._vector_collapses else max(
            [d.lanes for d in self.state.tile.values()], default=1
        )  # fmt: skip

    @property
    def _vector_collapses(self) -> bool:
        return any(self.nest.lanes[d] > 1 for d in self.nest.collapsed) and self.nest.scan is None

    def _identity(self) -> tuple[Value, ...]:
        assert self.operator is not None and self.operator.identity is not None
        return tuple(spread(Literal(c.value, c.type), self.lanes) for c in self.operator.identity)

    # ------------------------------------------------------------------------------------------ declare

    def declare(self) -> None:
        """Accumulators with identities, or with the partial results so far."""
        partial = self.state.partial
        waiting = partial is not None and not partial.again
        if waiting:
            self.first = self._flag(0)
        for p in range(len(self.points)):
            for copy in range(self.copies):
                identity = self._identity()
                names = tuple(self.scope.name(self.hint, i.type, i.lanes) for i in identity)
                self.names[p, copy] = names
                self.out += [Declare(name, value) for name, value in zip(names, identity)]
        if waiting and not self._vector_collapses and self.copies == 1:
            assert partial is not None and self.first is not None
            restore: list[Statement] = []
            tile = Tile(self.scope, self.state.tile, {}, restore)
            for p, point in enumerate(self.points):
                for name, access in zip(self.names[p, 0], partial.buffers):
                    value = tile.load(-1, access, (), point)
                    restore.append(Assign(name, spread(value, name.lanes)))
            self.out.append(If(self.first, (), tuple(restore)))

    def _flag(self, side: int) -> Value:
        """Whether this is the first (0) or last (1) part of all carried dimensions."""
        flag: Value | None = None
        for dim in self.nest.carried:
            here, whole = self.state.ranges[dim][side], self.nest.origin[dim][side]
            flag = both(flag, compare("le" if side == 0 else "ge", here, whole))
        assert flag is not None
        name = self.scope.name("first" if side == 0 else "last", bool_)
        self.out.append(Let(name, flag))
        return name

    # ------------------------------------------------------------------------------------------- update

    def evaluate(self, tile: Tile, point: Point) -> tuple[Value, ...]:
        """`f` at `point`, where a fault is an error."""
        terms = self.terms(tile, point)
        tile.fail(terms, [tile.guard_mask(self.guard, point)])
        return tuple(t.value for t in terms)

    def terms(self, tile: Tile, point: Point) -> tuple[Term, ...]:
        """`f` at `point`."""
        view = self.expression.inp_view
        arguments = [tile.load(n, a, self.guard, point) for n, a in enumerate(view)]
        return tile.terms(self.expression.md_hom.function, [Term(a) for a in arguments], point)

    def update(self, tile: Tile, out: list[Statement]) -> None:
        """Combine the values of `f` on the tile's points into the accumulators."""
        assert self.operator is not None
        collapsed = [d for d in self.nest.collapsed if d in tile.dims]
        for step in tile.points(collapsed):
            copy = 0
            for dim in self.late:
                index = step[dim] // tile.dims[dim].lanes
                copy = copy * (self.nest.counts[dim] // self.nest.lanes[dim]) + index
            for p, remaining in enumerate(self.points):
                point = {**remaining, **step}
                values = self.evaluate(tile, point)
                mask = tile.guard_mask(self.guard, point)
                if tile.lane_dim in self.nest.collapsed:
                    mask = both(mask, tile.lane_mask(point))
                names = self.names[p, copy]
                if mask is not None:
                    values = tuple(select_lanes(mask, v, i) for v, i in zip(values, self._identity()))
                values = tuple(spread(v, names[0].lanes) for v in values)
                self._combine_into(tile, out, names, values, point)

    def _combine_into(
        self, tile: Tile, out: list[Statement], names: tuple[Name, ...], values: Sequence[Value], point: Point
    ) -> None:
        assert self.operator is not None
        results = tile.apply(self.operator.function, (*names, *values), point)
        if len(results) > 1:  # components may read each other: all new values before the first assignment
            bound = []
            for result in results:
                name = self.scope.name("next", result.type, result.lanes)
                out.append(Let(name, result))
                bound.append(name)
            results = tuple(bound)
        out += [Assign(n, spread(r, n.lanes)) for n, r in zip(names, results)]

    # ------------------------------------------------------------------------------------------- finish

    def finish(self) -> None:
        """Combine copies and lanes, then finish and store, or put away for the next part."""
        assert self.operator is not None
        tile = Tile(self.scope, self.state.tile, {}, self.out)
        states = []
        for p, point in enumerate(self.points):
            for copy in range(1, self.copies):
                self._combine_into(tile, self.out, self.names[p, 0], self.names[p, copy], point)
            values: tuple[Value, ...] = self.names[p, 0]
            if self._vector_collapses:
                values = self._across_lanes(tile, values)
            states.append(values)
        partial = self.state.partial
        if partial is None or partial.again:
            self._finish_all(self.out, states)
            return
        if self.first is not None and (self._vector_collapses or self.copies > 1):
            states = self._with_earlier(states)
        if self.nest.finish is None and partial.buffers == self.nest.out_view:
            self._put(self.out, partial.buffers, states)
            return
        last = self._flag(1)
        then: list[Statement] = []
        otherwise: list[Statement] = []
        self._finish_all(then, states)
        self._put(otherwise, partial.buffers, states)
        self.out.append(If(last, tuple(then), tuple(otherwise)))

    def _with_earlier(self, states: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
        """Combine with what earlier parts left, for accumulators that could not start from it."""
        assert self.state.partial is not None and self.first is not None and self.operator is not None
        joined: list[tuple[Value, ...]] = []
        restore: list[Statement] = []
        tile = Tile(self.scope, self.state.tile, {}, restore)
        for point, values in zip(self.points, states):
            names = tuple(self.scope.name("sum", v.type, v.lanes) for v in values)
            self.out += [Declare(n, v) for n, v in zip(names, values)]
            old = [tile.load(-1, a, (), point) for a in self.state.partial.buffers]
            old = [spread(o, n.lanes) for o, n in zip(old, names)]
            results = tile.apply(self.operator.function, (*old, *names), point)
            bound = [tile._let("next", r) for r in results]
            restore += [Assign(n, b) for n, b in zip(names, bound)]
            joined.append(tuple(names))
        self.out.append(If(self.first, (), tuple(restore)))
        return list(joined)

    def _across_lanes(self, tile: Tile, values: tuple[Value, ...]) -> tuple[Value, ...]:
        assert self.operator is not None
        lanes = values[0].lanes
        while lanes > 1:
            half = lanes // 2
            low, high = tuple(range(half)), tuple(range(half, lanes))
            left = [Shuffle(v, low, v.type) for v in values]
            right = [Shuffle(v, high, v.type) for v in values]
            values = tuple(tile._let("lanes", r) for r in tile.apply(self.operator.function, (*left, *right), {}))
            lanes = half
        return values

    def _finish_all(self, out: list[Statement], states: Sequence[tuple[Value, ...]]) -> None:
        tile = Tile(self.scope, self.state.tile, self.state.packed, out)
        for point, values in zip(self.points, states):
            self.store_results(tile, point, [Term(v) for v in values])

    def store_results(self, tile: Tile, point: Point, terms: Sequence[Term]) -> None:
        """Finish one state and write its results."""
        self._store(tile, point, self._finished(tile, point, terms))

    @property
    def _outer_guard(self) -> tuple[Affine, ...]:
        return tuple(g for g in self.guard if not set(g.names) & set(self.nest.collapsed))

    def _finished(self, tile: Tile, point: Point, terms: Sequence[Term]) -> list[Value]:
        """The results to write; a fault of one that is written is an error."""
        finish = self.nest.finish
        if finish is not None:
            loads = [Term(tile.load(-1, a, self._outer_guard, point)) for a in finish.inp_view]
            terms = tile.terms(finish.function, (*terms, *loads), point)
        for access, term in zip(self.nest.out_view, terms):
            tile.fail([term], [tile.guard_mask(self._outer_guard + access.guard, point)])
        return [t.value if isinstance(t.value, Literal | Name) else tile._let("result", t.value) for t in terms]

    def _store(self, tile: Tile, point: Point, results: Sequence[Value]) -> None:
        for access, value in zip(self.nest.out_view, results):
            if self.nest.scattered is not None:
                self.nest.scattered.update(tile, access, self._outer_guard, point, value)
                continue
            tile.store(access, self._outer_guard, point, value, self.nest.low.streaming)

    def _put(self, out: list[Statement], buffers: tuple[Access, ...], states: Sequence[tuple[Value, ...]]) -> None:
        tile = Tile(self.scope, self.state.tile, {}, out)
        for point, values in zip(self.points, states):
            for access, value in zip(buffers, values):
                tile.store(access, (), point, value, False)

    # --------------------------------------------------------------------------- without a reduction; scans

    def direct(self, tile: Tile) -> None:
        """No dimension collapses: `f`, finish, store at every point.

        All results of a tile are computed before the first is stored: a load right behind a store to an address that
        is alike in its low bits waits for it (rows whose length is a power of two).
        """
        points = tile.points(list(self.expression.remaining))
        finished = [self._finished(tile, point, self.terms(tile, point)) for point in points]
        for point, results in zip(points, finished):
            self._store(tile, point, results)


def select_lanes(mask: Value, value: Value, otherwise: Value) -> Value:
    lanes = max(mask.lanes, value.lanes, otherwise.lanes)
    operands = (spread(mask, lanes), spread(value, lanes), narrow(otherwise, lanes))
    return Apply("select", operands, value.type, lanes)


def narrow(value: Value, lanes: int) -> Value:
    """A splat as `lanes` lanes (identities are splats of accumulators' width)."""
    if isinstance(value, Splat):
        return spread(value.value, lanes)
    return spread(value, lanes)
