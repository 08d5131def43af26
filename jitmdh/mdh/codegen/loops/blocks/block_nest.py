"""The loops of a low-level expression whose parts blocks of threads take: one grid.

    grid for (long block = 0; block < i_blocks * j_blocks; block++) {    // 128 threads
        const long thread = thread();
        float acc = 0;
        for (long k = 0; k < K; k += 32) {                               // a part that all threads go through together
            float A_shared[8 * 33];                                      // shared memory
            …                                                            // all threads fill it
            barrier();
            for (long k_1 = 0; k_1 < 32; k_1++)
                if (i < I && j < J) acc = acc + A_shared[…] * B[…];
            barrier();
        }
        if (i < I && j < J) C[…] = acc;
    }

Loops are the same for all threads of a block, so that each comes to every barrier; what does not exist is left out at
the points. Addresses, scalar functions, accumulators and their finish are those of nests for processors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.independence import may_fail
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim
from jitmdh.mdh.codegen.loops.blocks.block_reduction import PartialResults
from jitmdh.mdh.codegen.loops.blocks.copies_ahead import CopiesAhead
from jitmdh.mdh.codegen.loops.blocks.last_block import LastBlock
from jitmdh.mdh.codegen.loops.blocks.points_there import PointsThere
from jitmdh.mdh.codegen.loops.blocks.shared_copies import SharedCopies
from jitmdh.mdh.codegen.loops.blocks.thread_reduction import reduced_by_threads
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.codegen.loops.decomposition.ragged import in_row
from jitmdh.mdh.codegen.loops.recomposition.accumulators import Accumulators, select_lanes
from jitmdh.mdh.codegen.loops.recomposition.result_stores import ResultStores
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.codegen.microkernel.scalar_code import Term
from jitmdh.mdh.kernel.arithmetic import (
    add,
    divide,
    integer,
    maximum,
    minimum,
    multiply,
    remainder,
    subtract,
)
from jitmdh.mdh.kernel.ir import Apply, Barrier, For, Grid, Let, Literal, Scratch, Statement, Thread, Value
from jitmdh.mdh.lowlevel.blocks import around, count, threads
from jitmdh.mdh.lowlevel.expr import Part
from jitmdh.mdh.machine.blocks import SHARED, tiles_of

Inside = Callable[[Mapping[int, Packed]], list[Statement]]
"""What is inside a loop, given the copies there."""


class BlockNest:
    """Writes one grid, or two.

    uniform: where, in each dimension, what all threads of a block are at begins; own: how much further this thread is;
    places: where this thread is in those dimensions whose results it has, and the name of that; numbers: of the parts
    that this block has of what blocks combine, and of how many; group, groups: the number of the results that it has
    parts of, and of how many; among: how many blocks end before they are combined, one where there are no parts;
    partial: where parts wait; combining: whether what is written is what the last block does with them, else a second
    grid does.
    """

    def __init__(self, nest: NestFacts) -> None:
        self.nest, self.scope, self.parts = nest, nest.scope, nest.low.parts
        nest.blocked = False  # nothing is prefetched into caches
        self.dims = {d.name: d for d in nest.expression.md_hom.dims}
        self.loops = [n for n, p in enumerate(self.parts) if p.way != "unroll"]
        self.extents: dict[str, Value] = {}
        self.uniform: dict[str, Value] = {name: integer(0) for name in self.dims}
        self.own: dict[str, Value] = {name: integer(0) for name in self.dims}
        self.places: dict[str, tuple[Value, Value]] = {}
        self.there = PointsThere(nest, self.extents)
        self.in_loop, self.copies = False, nest.low.copies
        self.numbers: list[tuple[Value, Value]] = []
        self.group: Value = integer(0)
        self.groups: Value = integer(1)
        self.among: Value = integer(1)
        self.partial: PartialResults | None = None
        self.combining = False

    def extent(self, dim: str) -> int | None:
        """Where it is part of the program and not of the call."""
        found = self.dims[dim].extent
        return found.constant if found.is_constant else None

    def write(self) -> list[Statement]:
        before: list[Statement] = []
        for name, dim in self.dims.items():
            if name in self.nest.ragged:
                continue  # known at a result only
            value = maximum(self.scope.affine(dim.extent, {}), integer(0))
            self.extents[name] = self.scope.named(f"{name}_extent", value, before)
        block = self.scope.index("block")
        inside: list[Statement] = []
        blocks = self.scope.named("blocks", self._blocks(block, before, inside), before)
        self.thread = self.scope.index("thread")
        inside.append(Let(self.thread, Thread()))
        self._threads(inside)
        if self.numbers:
            self.partial = PartialResults.of(self.nest.expression, self.scope, self.extents, self.numbers)
        last: LastBlock | None = None
        if self.partial is not None and self.nest.low.stages:
            last = LastBlock(self.scope, self.group, self.groups, self.among)
            inside += last.before(self.partial.sizes[0], self._level(0, {}, None))
            self.combining, self.places, self.copies = True, {}, ()
            inside += last.behind(self.thread, self._level(0, {}, None))
        else:
            inside += self._level(0, {}, None)
        shown = [f"{p.layer} {p.dim}" for p in self.parts if p.way in ("block", "thread")]
        size = threads(self.parts, self.extent)
        grid = Grid(block, blocks, size, tuple(inside), ", ".join(shown), self.nest.low.resident)
        if self.partial is None:
            return [*before, grid]
        if last is not None:
            return [*before, *self.partial.around(last.around([grid]))]
        second = BlockNest(NestFacts(self.partial.combining(), self.scope)).write()
        return [*before, *self.partial.around([grid, *second])]

    def _blocks(self, block: Value, before: list[Statement], inside: list[Statement]) -> Value:
        """How many blocks there are; the parts of this one are those of its number, the last dimension first."""
        total: Value = integer(1)
        left = block
        for part in reversed([p for p in self.parts if p.way == "block"]):
            size = around(self.parts, part)
            if size is None:
                found = divide(add(self.extents[part.dim], integer(part.early + part.size - 1)), part.size)
                combined = parts = self.scope.named(f"{part.dim}_blocks", found, before)
                if part.dim in self.nest.collapsed and self.nest.low.stages and not isinstance(parts, Literal):
                    parts = self.scope.named(f"{part.dim}_blocks", maximum(parts, integer(1)), before)
            else:
                combined = parts = integer(size // part.size)
            mine = self.scope.named(f"{part.dim}_block", Apply("urem", (left, parts), int64), inside)
            left = self.scope.named("left", Apply("udiv", (left, parts), int64), inside)
            begin = add(self.uniform[part.dim], multiply(mine, integer(part.size)))
            self.uniform[part.dim] = subtract(begin, integer(part.early)) if part.early else begin
            if part.dim in self.nest.collapsed:
                self.numbers.append((mine, combined))
                self.among = multiply(self.among, parts)
            else:
                self.group = add(self.group, multiply(mine, self.groups))
                self.groups = multiply(self.groups, parts)
            total = multiply(total, parts)
        for name, value in self.uniform.items():
            self.uniform[name] = self.scope.named(f"{name}_begin", value, inside)
        return total

    def _threads(self, inside: list[Statement]) -> None:
        """The parts of this thread: warps are counted outside of their threads."""
        mine = [p for p in self.parts if p.way == "thread"]
        mine.sort(key=lambda p: p.layer != "WRP")
        stride = 1
        self.strides: dict[Part, int] = {}
        for part in reversed(mine):
            parts = count(self.parts, part, self.extent)
            assert parts is not None
            number = remainder(divide(self.thread, stride), parts)
            if part is mine[0]:
                number = divide(self.thread, stride)
            number = self.scope.named(f"{part.dim}_thread", number, inside)
            self.own[part.dim] = add(self.own[part.dim], multiply(number, integer(part.size)))
            self.strides[part] = stride
            stride *= parts

    # ------------------------------------------------------------------------------------------- loops

    def _level(self, n: int, packed: Mapping[int, Packed], held: Accumulators | None) -> list[Statement]:
        """From the n-th loop on. packed: copies made so far; held: accumulators, once they are there."""
        if held is None and self.nest.operator is not None and self._combines(n):
            return self._of_blocks() if self.combining else self._accumulated(n, packed)
        if n == len(self.loops):
            return self._tile(packed, held)
        place = self.loops[n]

        def inside(inner: Mapping[int, Packed]) -> list[Statement]:
            return self._level(n + 1, inner, held)

        return (self._loop if self.parts[place].way == "loop" else self._entered)(place, packed, inside)

    def _loop(self, place: int, packed: Mapping[int, Packed], inside: Inside) -> list[Statement]:
        part, again = self.parts[place], self.in_loop
        begin, comment = self.uniform[part.dim], f"{part.layer} {part.dim}"
        end, copies = self._end(part, begin), [copy for copy in self.copies if copy.at == place]
        self.in_loop = True
        if copies and tiles_of(copies[0].region) > 1:

            def round(at: Value, made: Mapping[int, Packed], out: list[Statement]) -> None:
                self.uniform[part.dim] = at
                out += inside({**packed, **made})

            found = CopiesAhead(part, copies, end, self._shared()).loop(round, comment, again)
        else:
            number = self.scope.index(part.dim)
            body: list[Statement] = []
            self.uniform[part.dim] = self.scope.named(f"{part.dim}_begin", add(begin, number), body)
            body += self._entered(place, packed, inside)
            found = [For(number, integer(0), end, integer(part.size), tuple(body), comment)]
        self.in_loop, self.uniform[part.dim] = again, begin
        return found

    def _end(self, part: Part, begin: Value) -> Value:
        """Of a loop, counted from where the part around begins."""
        size, extent = around(self.parts, part), self.extents[part.dim]
        if size is None:
            return subtract(extent, begin)
        return integer(size) if self.there.is_whole(part.dim) else minimum(integer(size), subtract(extent, begin))

    def _combines(self, n: int) -> bool:
        """Whether all that follows stays at the same results."""
        left = [self.parts[place] for place in self.loops[n:] if self.parts[place].way == "loop"]
        return all(part.dim in self.nest.collapsed for part in left)

    def _shared(self) -> SharedCopies:
        return SharedCopies(self.nest, self.extents, self.uniform, self.thread, self.extent)

    def _entered(self, place: int, packed: Mapping[int, Packed], inside: Inside) -> list[Statement]:
        """A part of parts[place], with the copies that begin there: all threads make them before one reads them."""
        copies, shared = [copy for copy in self.copies if copy.at == place], self._shared()
        if not copies:
            return inside(packed)
        body: list[Statement] = []
        made = {copy.access: shared.write(copy, body) for copy in copies}
        body += [Barrier(), *inside({**packed, **made})]
        if self.in_loop:  # what is copied next goes to the same place
            body.append(Barrier())
        for copy, one in zip(reversed(copies), reversed(made.values())):
            type = self.scope.types[self.nest.expression.inp_view[copy.access].buffer]
            body = [Scratch(one.buffer, type, one.size, tuple(body), SHARED)]
        return body

    # -------------------------------------------------------------------------------- points of a thread

    def _accumulated(self, n: int, packed: Mapping[int, Packed]) -> list[Statement]:
        """Accumulators of this thread's results, the loops that collapse, and what is done with the sums."""
        out: list[Statement] = []
        held, rows = self._declared(packed, out), list(self.nest.ragged)
        out += self._in_rows(rows, n, packed, held) if rows else self._level(n, packed, held)
        self._finished(held, out)
        return out

    def _in_rows(
        self, rows: Sequence[str], n: int, packed: Mapping[int, Packed], held: Accumulators
    ) -> list[Statement]:
        """Loops over rows whose ends data decide, where this thread has results at all."""
        ranges = {name: (integer(0), extent) for name, extent in self.extents.items()}

        def inside(left: Sequence[str], state: NestPosition) -> list[Statement]:
            if not left:
                return self._level(n, packed, held)

            def loop(there: NestPosition) -> list[Statement]:
                self.extents[left[0]] = there.ranges[left[0]][1]
                return inside(left[1:], there)

            return in_row(self.dims[left[0]], self.nest.expression, self.scope, state, loop)

        def write(tile: MicroKernelBuilder, points: list[Point]) -> None:
            tile.out.extend(inside(rows, replace(held.state, ranges=ranges)))

        out: list[Statement] = []
        once = [dict.fromkeys(held.remaining, 0)]
        self.there.write(held.state, once, held.remaining, write, out)
        return out

    def _of_blocks(self) -> list[Statement]:
        """As `_accumulated`, of what blocks have written; threads that share results have different parts of them."""
        out: list[Statement] = []
        held, (parts, stride) = self._declared({}, out), self._sharing()
        partial, body = self.partial, list[Statement]()
        assert partial is not None

        def read(tile: MicroKernelBuilder, points: list[Point]) -> None:
            for point in points:
                values = tuple(tile.load(-1, access, (), point) for access in partial.each)
                held.combine_into(tile, tile.out, (held.points.index(dict(point)), 0), values, point)

        self.there.write(held.state, held.points, held.remaining, read, body)
        mine = self.scope.named("part", remainder(divide(self.thread, stride), parts), out)
        out.append(For(partial.number, mine, partial.sizes[0], integer(parts), tuple(body), "parts of blocks"))
        self._finished(held, out)
        return out

    def _declared(self, packed: Mapping[int, Packed], out: list[Statement]) -> Accumulators:
        results = [name for name in self.dims if name not in self.nest.collapsed]
        state = replace(self.nest.begin({}), tile=self._dims(results, out), packed=packed)
        self.places = {name: (self._place(name), state.tile[name].base) for name in results}
        held = Accumulators(self.nest, state, out)
        held.declare()
        return held

    def _sharing(self) -> tuple[int, int]:
        """How many threads have parts of the same results, and how far they are apart."""
        shared = [p for p in self.parts if p.way == "thread" and p.dim in self.nest.collapsed]
        parts = prod(count(self.parts, p, self.extent) or 1 for p in shared)
        return parts, min((self.strides[p] for p in shared), default=1)

    def _finished(self, held: Accumulators, out: list[Statement]) -> None:
        """What threads have of the same results is combined, and stored: where it waits, or where it belongs."""
        first: Value | None = None
        (parts, stride), state = self._sharing(), held.state
        if any(p.way == "thread" and p.dim in self.nest.collapsed for p in self.parts):
            size = threads(self.parts, self.extent)
            first = reduced_by_threads(held, self.thread, size, parts, stride, self.in_loop, out)
        stores = ResultStores(self.nest, state)
        results = [name for name in self.dims if name not in self.nest.collapsed]

        def finish(tile: MicroKernelBuilder, points: list[Point]) -> None:
            for point in points:
                names = held.names[held.points.index(dict(point)), 0]
                if self.partial is not None and not self.combining:
                    stores.put(tile.out, self.partial.own, [point], [names])
                    continue
                stores.finish_one(tile, point, [Term(name) for name in names])

        self.there.write(state, held.points, results, finish, out, first)

    def _tile(self, packed: Mapping[int, Packed], held: Accumulators | None) -> list[Statement]:
        """`f` at the points of this thread, combined into its accumulators or stored."""
        out: list[Statement] = []
        state = replace(self.nest.begin({}), tile=self._dims(list(self.dims), out), packed=packed)
        tile = MicroKernelBuilder(self.scope, state.tile, packed, out)
        if held is None:
            direct = Accumulators(self.nest, state, out)
            stores = ResultStores(self.nest, state)

            def write(tile: MicroKernelBuilder, points: list[Point]) -> None:
                for point in points:
                    stores.finish_one(tile, point, direct.terms(tile, point))

        else:

            def write(tile: MicroKernelBuilder, points: list[Point]) -> None:
                _update(held, tile, points)

        names = list(self.dims) if held is None else _looked_at(self.nest, packed)
        self.there.write(state, _ordered(self.nest, tile.points(list(self.dims))), names, write, out)
        return out

    def _dims(self, names: Sequence[str], out: list[Statement]) -> dict[str, TileDim]:
        """Where this thread's points are."""
        tile: dict[str, TileDim] = {}
        for name in names:
            place, known = self._place(name), self.places.get(name)
            base = known[1] if known is not None and known[0] == place else self.scope.named(name, place, out)
            steps = [p for p in self.parts if p.dim == name and p.way == "unroll"]
            offsets = _offsets([(count(self.parts, p, self.extent) or 1, p.size) for p in steps])
            tile[name] = TileDim(base, len(offsets), offsets=offsets)
        return tile

    def _place(self, dim: str) -> Value:
        """Where this thread is in a dimension."""
        return add(self.uniform[dim], self.own[dim])


def _ordered(nest: NestFacts, points: list[dict[str, int]]) -> list[dict[str, int]]:
    """Points of a tile in the order of the scalar phase."""
    unrolled = nest.low.scalar_order or [p.dim for p in nest.low.parts if p.way == "unroll"]
    return sorted(points, key=lambda point: tuple(point[d] for d in unrolled))


def _offsets(steps: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Of the points of a thread from its first one. steps: unrolled ones, by how many and how far apart."""
    return tuple(sorted(map(sum, product(*(range(0, n * size, size) for n, size in steps)))))


def _looked_at(nest: NestFacts, packed: Mapping[int, Packed]) -> list[str]:
    """The dimensions at whose ends points are left out. Results that do not exist are never stored: what they are
    computed from is 0 in copies, so that nothing has to be left out where all that varies comes from copies."""
    e = nest.expression
    names = [d.name for d in e.md_hom.dims]
    if may_fail(e):
        return names
    direct = [access for n, access in enumerate(e.inp_view) if n not in packed]
    read = {name for access in direct for index in access.index for name in index.names}
    return [name for name in names if name in nest.collapsed or name in read]


def _update(held: Accumulators, tile: MicroKernelBuilder, points: Sequence[Point]) -> None:
    """Combine the values of `f` at some points into accumulators, in this order."""
    assert held.group is not None
    guard = tuple(g for g in held.group.guard if g in held.guard)
    for point in points:
        values = held.evaluate(tile, point)
        mask = tile.guard_mask(guard, point)
        if mask is not None:
            values = tuple(select_lanes(mask, v, i) for v, i in zip(values, held.identity()))
        at = held.points.index({d: point[d] for d in held.remaining})
        held.combine_into(tile, tile.out, (at, 0), values, point)
