"""The loops of one low-level expression: de-composition, the scalar phase at the bottom, re-composition.

Three zones, from outside to inside: loops over parts (threads, blocks) down to the last loop of a dimension that
remains in the result; loops over dimensions that collapse, around which accumulators live in registers; the tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd

from jitmdh.base.dtype import int64
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.blocks.block_nest import BlockNest
from jitmdh.mdh.codegen.loops.decomposition.core_parts import CoreParts
from jitmdh.mdh.codegen.loops.decomposition.guarded_loops import needed_blocks
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import (
    Destination,
    Inside,
    NestFacts,
    NestPosition,
    Partial,
    Then,
    allocated,
)
from jitmdh.mdh.codegen.loops.decomposition.ragged import in_row
from jitmdh.mdh.codegen.loops.decomposition.tile_loops import TileLoops
from jitmdh.mdh.codegen.loops.privatised_scatter import scatter_cores
from jitmdh.mdh.codegen.loops.recomposition.accumulators import Accumulators, Results
from jitmdh.mdh.codegen.loops.recomposition.result_stores import ResultStores
from jitmdh.mdh.codegen.loops.recomposition.scores_first import ScoresFirst, looks_at_scores
from jitmdh.mdh.codegen.loops.recomposition.staging import Staging, begins
from jitmdh.mdh.codegen.loops.scan import Carry
from jitmdh.mdh.codegen.loops.scan_cores import scan_cores
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.codegen.packing.packing import PackingLoops, has_points, plan_copy
from jitmdh.mdh.kernel.arithmetic import add, integer, maximum, minimum, multiply
from jitmdh.mdh.kernel.ir import Apply, Fence, For, If, Let, Literal, Parallel, Scratch, Statement, Value
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part


def capped(left: Value, right: Value) -> Value:
    """`left * right` of sizes; where that is more than memory can hold, some size that is, too."""
    if isinstance(left, Literal) or isinstance(right, Literal):
        return multiply(left, right)
    return Apply("capped_mul", (left, right), int64)


_FEWEST_COLUMNS = 4  # of vectors whose lanes lie apart: fewer are loaded element by element in less time


class NestWriter(NestFacts):
    """Writes the statements of one low-level expression. Requires identities (see algebra.complete)."""

    def __init__(self, low: LowLevel, scope: Scope) -> None:
        super().__init__(low, scope)
        self.core_parts = CoreParts(self)
        self.staging = Staging(self, self.nested)
        self.has_points: Value | None = None  # looked at before anything is copied

    # ------------------------------------------------------------------------------------------- entry

    def write(self, within: Mapping[str, Range] | None = None) -> list[Statement]:
        """within: the part of the iteration space to go through; None: all of it."""
        if self.low.in_blocks:
            return BlockNest(self).write()
        at = self.low.boundary()
        if at is not None:
            return self._in_two(at, within)
        ranges: dict[str, Range] = dict(within or {})
        for dim in self.expression.md_hom.dims:
            if within is None and dim.name not in self.ragged:
                range = ranges[dim.name] = (integer(0), maximum(self.scope.affine(dim.extent, {}), integer(0)))
                self.scope.lengths[range] = self.scope.multiple(dim.extent)
        state = self.begin(ranges)
        before: list[Statement] = []
        if self.low.copies:
            self.has_points = has_points(self.scope, ranges.values(), before)
        work = before + self._entered(-1, state, lambda s: self.level(0, s))
        if state.to.streaming and all(part.way != "core" for part in self.parts):
            work.append(Fence())  # else at the end of each task
        return work

    def _entered(self, at: int | range, state: NestPosition, inside: Inside) -> list[Statement]:
        """`inside` a part of level `at` that goes through results: its copies are made, its results may wait."""
        return self._with_copies(at, state, lambda s: self.staging.staged(at, s, inside))

    def _in_two(self, at: int, within: Mapping[str, Range] | None) -> list[Statement]:
        """The groups from `at` on first, with their results in memory; then those outside of them."""
        types = self.groups[at].operator.types
        names = [self.scope.fresh("between") for _ in types]
        first, second = self.low.in_two(at, names)
        shape = first.expression.buffer(names[0]).shape
        sizes = [maximum(self.scope.affine(extent, {}), integer(0)) for extent in shape]
        for name, type in zip(names, types):
            stride: Value = integer(1)
            strides: list[Value] = []
            for size in reversed(sizes):
                strides.insert(0, stride)
                stride = multiply(stride, size)
            self.scope.strides[name], self.scope.types[name] = tuple(strides), type
        dims = {d.name for d in second.expression.md_hom.dims}
        work = NestWriter(first, self.scope).write(within)
        work += NestWriter(second, self.scope).write(None if within is None else {d: within[d] for d in dims})
        for name, type in zip(names, types):
            count: Value = integer(1)
            for size in sizes:
                count = capped(count, size)
            work = [Scratch(name, type, count, tuple(work), "MM")]
        return work

    def _with_copies(self, at: int | range, state: NestPosition, inside: Inside) -> list[Statement]:
        """`inside`, with the copies that begin there (several levels at once: those of one group of cores)."""
        return self._copied([c for c in self.low.copies if begins(c.at, at)], state, inside)

    def _copied(self, copies: Sequence[Copy], state: NestPosition, inside: Inside) -> list[Statement]:
        if not copies:
            return inside(state)
        copy, rest = copies[0], copies[1:]
        access = self.expression.inp_view[copy.access]
        packed, before = plan_copy(self.scope, copy, access, state.ranges)
        lanes = self.scope.machine.vector_bits // max(8, self.scope.types[access.buffer].bits)
        cores = [n for n, part in enumerate(self.parts) if part.way == "core"]
        shared = bool(cores) and copy.at < cores[0]
        fill = PackingLoops(self.scope, packed, access, lanes, state.packed.get(copy.access)).write(shared)
        if self.has_points is not None:
            fill = [If(self.has_points, tuple(fill))]
        inner = replace(state, packed={**state.packed, copy.access: packed})
        body = self._copied(rest, inner, inside)
        type = self.scope.types[access.buffer]
        return [*before, Scratch(packed.buffer, type, packed.size, (*fill, *body), copy.region)]

    # ------------------------------------------------------------------------------------------- loops

    def level(self, n: int, state: NestPosition) -> list[Statement]:
        if self.carried and state.partial is None and n < self.inner and self.parts[n].dim in self.collapsed \
                and self.parts[n].way == "loop":  # fmt: skip
            return self._with_partial(n, state)
        if n == self.inner:
            return self._accumulate(n, state)
        part = self.parts[n]
        if part.way == "core":
            return self._cores(n, state)
        if part.layer == "L1":
            return self._tile_loops(n, state, self.level)
        return self._block(n, state)

    def _block(self, n: int, state: NestPosition) -> list[Statement]:
        """A loop over parts of some size that is not yet the tile's."""
        part, out = self.parts[n], list[Statement]()
        _, end = state.ranges[part.dim]
        begin, last = needed_blocks(self, n, state, out)
        name = self.scope.index(part.dim)
        stop = self.scope.index(f"{part.dim}_end")
        inner = self._part(state, part, name, stop)
        # An empty reduction still makes one (empty) round: its results must be finished.
        last = maximum(end, add(begin, integer(1))) if part.dim in self.collapsed else last
        body: list[Statement] = [Let(stop, minimum(add(name, integer(part.size)), end))]
        body += self._entered(n, inner, lambda s: self.level(n + 1, s))
        return [*out, For(name, begin, last, integer(part.size), tuple(body), f"{part.layer} {part.dim}")]

    def _part(self, state: NestPosition, part: Part, begin: Value, end: Value) -> NestPosition:
        """Inside of one part of a dimension."""
        self.scope.lengths[begin, end] = gcd(part.size, self.scope.length(state.ranges[part.dim]))
        return replace(state, ranges={**state.ranges, part.dim: (begin, end)})

    def _tile_loops(self, n: int, state: NestPosition, then: Then) -> list[Statement]:
        """The loops over register tiles of one dimension, which may be as long as the data at this point say."""
        dim = self.parts[n].dim
        if dim in state.ranges:
            return TileLoops(self, self._entered).write(n, state, then)
        row = self.ragged[dim]
        return in_row(row, self.expression, self.scope, state, lambda s: self._tile_loops(n, s, then))

    def _cores(self, n: int, state: NestPosition) -> list[Statement]:
        """Threads over parts of one or several dimensions; a tile's parts are not torn apart."""
        if self.parts[n].dim == self.scan:
            return scan_cores(self, n, state, self.level, self.nested)
        if self.parts[n].dim in self.expression.scattered:
            return scatter_cores(self, n, state)
        group = []
        while n < len(self.parts) and self.parts[n].way == "core":
            group.append(self.parts[n])
            n += 1
        before: list[Statement] = []
        tasks = self.core_parts.tasks(state, max(1, *(-part.size for part in group)), before)
        task = self.scope.index("task")
        inside: list[Statement] = []
        ranges = dict(state.ranges)
        count: Value = integer(1)
        private: Value = integer(0)
        private_count: Value = integer(1)
        left: Value = task
        for part in group:
            parts, share = self.core_parts.split(part, state, tasks, before)
            tasks = self.scope.named("tasks", maximum(Apply("udiv", (tasks, parts), int64), integer(1)), before)
            mine = self.scope.named(f"{part.dim}_part", Apply("urem", (left, parts), int64), inside)
            left = self.scope.named("left", Apply("udiv", (left, parts), int64), inside)
            ranges[part.dim] = share(mine, inside)
            count = multiply(count, parts)
            if part.dim in self.collapsed:
                private = add(multiply(private, parts), mine)
                private_count = multiply(private_count, parts)
        total = self.scope.named("parts", count, before)
        comment = "COR " + ", ".join(p.dim for p in group)

        def run(inner: NestPosition) -> list[Statement]:
            inside.extend(self._entered(range(n - len(group), n), inner, lambda s: self.level(n, s)))
            if inner.to.streaming:
                inside.append(Fence())
            return [Parallel(task, total, tuple(inside), comment)]

        if any(p.dim in self.collapsed for p in group):
            parts_count = self.scope.named("private_parts", private_count, before)
            mine = self.scope.named("private_part", private, inside)
            return [*before, *self.staging.reduced(state, ranges, (mine, parts_count), run)]
        origin = {**state.to.origin, **{part.dim: ranges[part.dim] for part in group}}
        return [*before, *run(replace(state, ranges=ranges, to=replace(state.to, origin=origin)))]

    def nested(self, low: LowLevel, within: Mapping[str, Range] | None = None) -> list[Statement]:
        """The statements of another computation in the same scope; see `write`."""
        return NestWriter(low, self.scope).write(within)

    def one_by_one(self, ranges: Mapping[str, Range], to: Destination) -> list[Statement]:
        """What is done at the points of some ranges, one after the other. to: where results go."""
        order = dict.fromkeys(part.dim for part in self.low.parts)
        parts = tuple(Part("L1", dim, 1, "loop") for dim in order)
        nest = NestWriter(LowLevel(self.expression, parts), self.scope)
        return nest.level(0, replace(nest.begin(ranges), to=to))

    def _nested_block(self, low: LowLevel, within: Mapping[str, Range]) -> list[Statement]:
        """As `nested`, of a block of an arg-extremum."""
        nest = NestWriter(low, self.scope)
        nest.in_block = True
        return nest.write(within)

    def checked(self, steps: list[Statement]) -> list[Statement]:
        """`steps`, which write results at once: the subscripts that they use have to be looked at before."""
        return steps if self.conditions is None else self.conditions(steps)

    # -------------------------------------------------------------------------------- accumulate, finish

    def _with_partial(self, n: int, state: NestPosition) -> list[Statement]:
        """Memory for results that wait for further parts of a collapsed dimension."""
        assert self.operator is not None
        remaining = [name for name in self.expression.remaining]
        partial, before, scratch = Partial.plan(self, remaining, state)
        body = self.level(n, replace(state, partial=partial))
        for buffer, type, count in reversed(scratch):
            body = [Scratch(buffer, type, count, tuple(body), "L2")]
        return [*before, *body]

    def _accumulate(self, n: int, state: NestPosition) -> list[Statement]:
        """Accumulators for one tile of results, the loops that collapse, and what is done with the sums."""
        if self.scan is not None:
            return self._scan(n, state)
        if looks_at_scores(self, state):
            return ScoresFirst(self, state, self._nested_block).instead(lambda: self._in_one_pass(n, state))
        return self._in_one_pass(n, state)

    def _in_one_pass(self, n: int, state: NestPosition) -> list[Statement]:
        out: list[Statement] = []
        accumulators = Accumulators(self, state, out)
        if accumulators.needed:
            accumulators.declare()
            out += self._collapse(n, state, accumulators)
            accumulators.finish()
        else:
            self._collapse_into(out, state, accumulators)
        return allocated(accumulators.buffers, out, "L1")

    def _collapse(self, n: int, state: NestPosition, accumulators: Accumulators) -> list[Statement]:
        if n == len(self.parts) or self.parts[n].dim not in accumulators.collapsed:
            out: list[Statement] = []
            results = self._results(n, state, out, accumulators.level + 1)
            packed = state.packed if results is None else {}
            tile = self._micro_kernel(state, packed, out, relaxed=results is None)
            accumulators.update(tile, out, results)
            if results is None and accumulators.memory is None:
                out[:] = ResultStores(self, state).transposed(tile).loads(out, _FEWEST_COLUMNS)
            tile.prefetch_inputs(self.is_widest(state))
            return out
        if self.parts[n].layer == "L1":
            return self._tile_loops(n, state, lambda m, s: self._collapse(m, s, accumulators))
        part = self.parts[n]
        begin, end = state.ranges[part.dim]
        name, stop = self.scope.index(part.dim), self.scope.index(f"{part.dim}_end")
        inner = self._part(state, part, name, stop)
        body: list[Statement] = [Let(stop, minimum(add(name, integer(part.size)), end))]
        body += self._with_copies(n, inner, lambda s: self._collapse(n + 1, s, accumulators))
        return [For(name, begin, end, integer(part.size), tuple(body), f"{part.layer} {part.dim}")]

    def _results(self, n: int, state: NestPosition, out: list[Statement], level: int) -> Results | None:
        """What the points of a tile come to by the operator of a group and those inside it; None: there is no group."""
        if level == len(self.groups):
            return None
        accumulators = Accumulators(self, state, out, level)
        accumulators.declare()
        out += self._collapse(n, state, accumulators)
        return accumulators.results()

    def _collapse_into(self, out: list[Statement], state: NestPosition, accumulators: Accumulators) -> None:
        tile = self._micro_kernel(state, state.packed, out)
        accumulators.direct(tile)
        tile.prefetch_inputs(self.is_widest(state))
        if self.innermost_loop is not None and not self.in_remainder(state):
            written = () if state.to.streaming else state.to.out_view
            tile.prefetch_transposed(self.expression.inp_view, written, accumulators.points)

    def _micro_kernel(
        self, state: NestPosition, packed: Mapping[int, Packed], out: list[Statement], relaxed: bool = False
    ) -> MicroKernelBuilder:
        """The builder of the register tile at hand, which prefetches inputs."""
        prefetched, loop = self.low.prefetched, self.innermost_loop
        return MicroKernelBuilder(self.scope, state.tile, packed, out, relaxed, prefetched, loop)

    def _scan(self, n: int, state: NestPosition) -> list[Statement]:
        """A prefix sum: the carry lives around its loop, each step is finished and stored."""
        out: list[Statement] = []
        carry = Carry(self, state, out, hint="carry")
        carry.begin(state.start)
        assert self.parts[n].dim == self.scan, "the loop of a prefix sum is outside those that collapse"

        def step(m: int, inner: NestPosition) -> list[Statement]:
            body: list[Statement] = []
            carry.advance(inner, body, self._results(m, inner, body, 1))
            return body

        return [*out, *self._tile_loops(n, state, step)]
