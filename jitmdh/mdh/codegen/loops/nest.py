"""The loops of one low-level expression: de-composition, the scalar phase at the bottom, re-composition.

Three zones, from outside to inside: loops over parts (threads, blocks) down to the last loop of a dimension that
remains in the result; loops over dimensions that collapse, around which accumulators live in registers; the tile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import gcd

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.combine import PointWise, PrefixSum
from jitmdh.mdh.algebra.expr import Access, Finish
from jitmdh.mdh.algebra.index import as_affine
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import MakeTile, Range, TileDim
from jitmdh.mdh.codegen.loops.accumulators import Accumulators, Results
from jitmdh.mdh.codegen.loops.core_parts import CoreParts
from jitmdh.mdh.codegen.loops.nest_facts import Buffers, NestFacts, NestPosition, Partial, unless_failed
from jitmdh.mdh.codegen.loops.privatised_scatter import scatter_cores
from jitmdh.mdh.codegen.loops.ragged import in_row
from jitmdh.mdh.codegen.loops.recompose import accumulating, of_private, of_stage, plan_private, plan_stage
from jitmdh.mdh.codegen.loops.scan import Carry, scan_totals
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.codegen.microkernel.prefetch import PREFETCHED_ROWS
from jitmdh.mdh.codegen.packing.packing import PackingLoops, plan_copy
from jitmdh.mdh.kernel.ir import (
    Apply,
    Fence,
    For,
    If,
    Lead,
    Let,
    Literal,
    Name,
    Parallel,
    Scratch,
    Statement,
    Value,
    add,
    compare,
    integer,
    maximum,
    minimum,
    multiply,
    remainder,
    subtract,
)  # fmt: skip
from jitmdh.mdh.lowlevel.expr import LowLevel, Part


def capped(left: Value, right: Value) -> Value:
    """`left * right` of sizes; where that is more than memory can hold, some size that is, too."""
    if isinstance(left, Literal) or isinstance(right, Literal):
        return multiply(left, right)
    return Apply("capped_mul", (left, right), int64)


class Nest(NestFacts):
    """Writes the statements of one low-level expression. Requires identities (see algebra.complete)."""

    def __init__(self, low: LowLevel, scope: Scope) -> None:
        super().__init__(low, scope)
        self.core_parts = CoreParts(self)

    # ------------------------------------------------------------------------------------------- entry

    def write(self, within: Mapping[str, Range] | None = None) -> list[Statement]:
        """within: the part of the iteration space to go through; None: all of it."""
        at = self.low.boundary()
        if at is not None:
            return self._in_two(at, within)
        ranges: dict[str, Range] = dict(within or {})
        for dim in self.expression.md_hom.dims:
            if within is None and dim.name not in self.ragged:
                range = ranges[dim.name] = (integer(0), maximum(self.scope.affine(dim.extent, {}), integer(0)))
                self.scope.lengths[range] = self.scope.multiple(dim.extent)
        self.origin = ranges
        state = NestPosition(ranges, {}, {})
        work = self._entered(-1, state, lambda s: self.level(0, s))
        if self.low.streaming and all(part.way != "core" for part in self.parts):
            work.append(Fence())  # else at the end of each task
        return work

    def _with_ragged(
        self, n: int, state: NestPosition, then: Callable[[int, NestPosition], list[Statement]]
    ) -> list[Statement]:
        """The loops from level `n`, whose dimension is as long as the data at this point say."""
        dim = self.ragged[self.parts[n].dim]
        return in_row(dim, self.expression, self.scope, state, lambda s: self._micro(n, s, then))

    def _entered(
        self, at: int | range, state: NestPosition, inside: Callable[[NestPosition], list[Statement]]
    ) -> list[Statement]:
        """`inside` a part of level `at` that goes through results: its copies are made, its results may wait."""
        return self._with_copies(at, state, lambda s: self._waiting(at, s, inside))

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
        work = Nest(first, self.scope).write(within)
        work += Nest(second, self.scope).write(None if within is None else {d: within[d] for d in dims})
        for name, type in zip(names, types):
            count: Value = integer(1)
            for size in sizes:
                count = capped(count, size)
            work = [Scratch(name, type, count, tuple(work), "MM")]
        return work

    def _with_copies(
        self, at: int | range, state: NestPosition, inside: Callable[[NestPosition], list[Statement]]
    ) -> list[Statement]:
        """`inside`, with the copies that begin there (several levels at once: those of one group of cores)."""
        copies = [c for c in self.low.copies if c.at == at or (isinstance(at, range) and c.at in at)]
        if not copies:
            return inside(state)
        copy, rest = copies[0], copies[1:]
        access = self.expression.inp_view[copy.access]
        packed, before = plan_copy(self.scope, copy, access, state.ranges)
        lanes = self.scope.machine.vector_bits // max(8, self.scope.types[access.buffer].bits)
        cores = [n for n, part in enumerate(self.parts) if part.way == "core"]
        shared = bool(cores) and copy.at < cores[0]
        fill = PackingLoops(self.scope, packed, access, lanes, state.packed.get(copy.access)).write(shared)
        inner = replace(state, packed={**state.packed, copy.access: packed})
        saved, self.low = self.low, replace(self.low, copies=tuple(c for c in self.low.copies if c is not copy))
        body = self._with_copies(at, inner, inside) if rest else inside(inner)
        self.low = saved
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
            return self._micro(n, state, self.level)
        return self._block(n, state)

    def _block(self, n: int, state: NestPosition) -> list[Statement]:
        """A loop over parts of some size that is not yet the tile's."""
        part = self.parts[n]
        begin, end = state.ranges[part.dim]
        name = self.scope.index(part.dim)
        stop = self.scope.index(f"{part.dim}_end")
        inner = self._part(state, part, name, stop)
        # An empty reduction still makes one (empty) round: its results must be finished.
        last = maximum(end, add(begin, integer(1))) if part.dim in self.collapsed else end
        body: list[Statement] = [Let(stop, minimum(add(name, integer(part.size)), end))]
        body += self._entered(n, inner, lambda s: self.level(n + 1, s))
        return [For(name, begin, last, integer(part.size), tuple(body), f"{part.layer} {part.dim}")]

    def _part(self, state: NestPosition, part: Part, begin: Value, end: Value) -> NestPosition:
        """Inside of one part of a dimension."""
        self.scope.lengths[begin, end] = gcd(part.size, self.scope.length(state.ranges[part.dim]))
        return replace(state, ranges={**state.ranges, part.dim: (begin, end)})

    def _micro(
        self, n: int, state: NestPosition, then: Callable[[int, NestPosition], list[Statement]]
    ) -> list[Statement]:
        """The loop over register tiles of one dimension: full tiles, then what is left."""
        part = self.parts[n]
        dim, size, lanes = part.dim, part.size, self.lanes[part.dim]
        if dim not in state.ranges:
            return self._with_ragged(n, state, then)
        begin, end = state.ranges[dim]

        def tile(base: Value, count: int, width: int, stop: Value | None, multiple: int) -> list[Statement]:
            shape = TileDim(base, count, width, stop, multiple)
            high = add(base, integer(count * width))
            high = high if stop is None else minimum(high, stop)
            inner = replace(state, tile={**state.tile, dim: shape}, ranges={**state.ranges, dim: (base, high)})
            return self._entered(n, inner, lambda s: then(n + 1, s))

        length, multiple = subtract(end, begin), self.scope.length((begin, end))
        if isinstance(length, Literal) and length.value == size:
            return tile(begin, size // lanes, lanes, None, size)
        out: list[Statement] = []
        comment = f"{part.layer} {dim}"
        if size > 1 and self._in_one_loop(dim, state):
            index = self.scope.index(dim)
            each = tile(index, 1, lanes, end if multiple % lanes else None, lanes)
            return [For(index, begin, end, integer(lanes), tuple(each), comment)]
        if self.peels_to_alignment(dim, state):
            return self._peeled(n, state, tile)
        stop = end
        if multiple % size:
            name = self.scope.index(f"{dim}_full")
            out.append(Let(name, subtract(end, remainder(length, size))))
            stop = name
        index = self.scope.index(dim)
        out.append(
            For(index, begin, stop, integer(size), tuple(tile(index, size // lanes, lanes, None, size)), comment)
        )
        if multiple % size and not (isinstance(length, Literal) and int(length.value) % size == 0):  # type: ignore[arg-type]
            index = self.scope.index(dim)
            rest = tile(index, 1, lanes, end if multiple % lanes else None, lanes)
            out.append(For(index, stop, end, integer(lanes), tuple(rest), f"{comment} remainder"))
        return out

    def _peeled(self, n: int, state: NestPosition, tile: MakeTile) -> list[Statement]:
        """Tiles from where results are aligned; what is before and behind, at most a few vectors, has one code if the
        order does not matter."""
        part = self.parts[n]
        dim, size, lanes = part.dim, part.size, self.lanes[part.dim]
        begin, end = state.ranges[dim]
        comment = f"{part.layer} {dim}"
        out: list[Statement] = []
        aligned = self._first_aligned(dim, state, out)
        full = self.scope.named(f"{dim}_full", subtract(end, remainder(subtract(end, aligned), size)), out)

        def loop(first: Value, stop: Value, whole: bool, comment: str) -> For:
            index = self.scope.index(dim)
            body = tile(index, size // lanes, lanes, None, size) if whole else tile(index, 1, lanes, stop, 1)
            return For(index, first, stop, integer(size if whole else lanes), tuple(body), comment)

        if ends := self._prefetch_row_ends(n, state, begin):
            out.append(If(compare("lt", begin, aligned), tuple(ends)))
        if dim == self.scan:
            out.append(loop(begin, aligned, False, f"{comment} up to an aligned address"))
            out.append(loop(aligned, full, True, comment))
            return [*out, loop(full, end, False, f"{comment} remainder")]
        side, first, stop = (self.scope.index(hint) for hint in ("side", f"{dim}_first", f"{dim}_stop"))
        before = compare("eq", side, integer(0))
        low, high = (Apply("select", (before, *pair), int64) for pair in ((begin, full), (aligned, end)))
        either = Let(first, low), Let(stop, high), loop(first, stop, False, "")
        comments = f"{comment} up to an aligned address, and remainder"
        out.append(For(side, integer(0), integer(2), integer(1), either, comments))
        return [*out, loop(aligned, full, True, comment)]

    def _in_one_loop(self, dim: str, state: NestPosition) -> bool:
        """Whether one loop serves full tiles and what is left: in remainders of other dimensions, if it costs little.

        Vectors are masked there; they are taken one by one where no loop over terms waits for sums of few points, and
        go through the caches if there is something to compute meanwhile. Reductions are not unrolled, if that is not
        for accumulators of their own.
        """
        loops = any(d.extent != as_affine(self.counts[d.name]) for d in self.collapsing)
        if not self.in_remainder(state) or (self.low.streaming and (loops or not self.collapsing)):
            return False
        if self.lanes[dim] > 1:
            return not loops or self.counts[dim] == self.lanes[dim]
        return dim in self.collapsed and dim not in self.low.split_accumulators

    def _prefetch_row_ends(self, n: int, state: NestPosition, begin: Value) -> list[Statement]:
        """Before a row whose first and last results do not fill cache lines: ask for these lines of later rows.

        The stores to them wait until memory has sent the line, and all stores behind them wait, too.
        """
        around = self.parts[n - 1] if n else None
        names = {name for a in self.out_view for index in a.index for name in index.names} & self.counts.keys()
        inside = names - {*state.tile, self.parts[n].dim}  # loops over these decide which row it is
        if around is None or around.way != "loop" or around.dim not in state.tile or inside:
            return []
        out: list[Statement] = []
        first = TileDim(begin, 1, self.lanes[self.parts[n].dim])
        tile = MicroKernelBuilder(self.scope, {**state.tile, self.parts[n].dim: first}, state.packed, out)
        rows = [d for d in state.tile if state.tile[d].count > 1]
        step = state.tile[around.dim].count * state.tile[around.dim].lanes
        for point in tile.points(rows):
            later = {**point, around.dim: point.get(around.dim, 0) + PREFETCHED_ROWS * step}
            for access in self.out_view:
                tile.prefetch_results(access, [later])
        return out

    def _first_aligned(self, dim: str, state: NestPosition, out: list[Statement]) -> Value:
        """Where the first aligned element of the results is, along `dim`."""
        begin, end = state.ranges[dim]
        access = self.out_view[0]
        places = {name: low for name, (low, _) in state.ranges.items()}
        offset: Value = integer(0)
        for index, stride in zip(access.index, self.scope.strides[access.buffer]):
            offset = add(offset, multiply(self.scope.affine(index, places), stride))
        lead = Lead(access.buffer, offset, self.lanes[dim])
        return self.scope.named(f"{dim}_aligned", minimum(add(begin, lead), end), out)

    def _cores(self, n: int, state: NestPosition) -> list[Statement]:
        """Threads over parts of one or several dimensions; a tile's parts are not torn apart."""
        if self.parts[n].dim == self.scan:
            return self._scan_cores(n, state)
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
            if self.low.streaming:
                inside.append(Fence())
            return [Parallel(task, total, tuple(inside), comment)]

        origin = self.origin
        inner = replace(state, ranges=ranges)
        if any(p.dim in self.collapsed for p in group):
            parts_count = self.scope.named("private_parts", private_count, before)
            mine = self.scope.named("private_part", private, inside)
            return [*before, *self._reduced(state, inner, (mine, parts_count), run)]
        self.origin = {**origin, **{part.dim: ranges[part.dim] for part in group}}
        work = run(inner)
        self.origin = origin
        return [*before, *work]

    def _reduced(
        self,
        state: NestPosition,
        inner: NestPosition,
        part: tuple[Value, Value],
        run: Callable[[NestPosition], list[Statement]],
    ) -> list[Statement]:
        """A reduction over cores: `run` leaves what part `part[0]` of `part[1]` comes to in memory of its own."""
        remaining, (mine, parts) = self.expression.remaining, part
        reads, buffers = plan_private(self, mine, parts, remaining, state.ranges)
        saved = self.finish, self.out_view, self.origin
        self.finish, self.out_view, self.origin = None, reads, inner.ranges
        work = run(replace(inner, partial=None))
        self.finish, self.out_view, self.origin = saved

        def write(finish: Finish | None, out_view: tuple[Access, ...]) -> list[Statement]:
            low, over = of_private(self, reads, parts, finish, out_view)
            within = {d: state.ranges[d] for d in remaining}
            return Nest(low, self.scope).write({**within, over: (integer(0), maximum(parts, integer(0)))})

        return _allocated(buffers, [*work, *self._concluded(state, write)])

    def _waiting(
        self, at: int | range, state: NestPosition, inside: Callable[[NestPosition], list[Statement]]
    ) -> list[Statement]:
        """`inside`, whose results wait where the low-level expression says; then what becomes of them."""
        stages = [s for s in self.low.stages if s.at == at or (isinstance(at, range) and s.at in at)]
        if not stages:
            return inside(state)
        reads, before, buffers = plan_stage(self, stages[0], state.ranges)
        cores = [n for n, part in enumerate(self.parts) if part.way == "core"]
        shared = bool(cores) and stages[0].at < cores[0]
        saved = self.finish, self.out_view, self.low, self.origin
        self.finish, self.out_view, self.origin = None, reads, state.ranges
        rest = tuple(s for s in self.low.stages if s is not stages[0])
        self.low = replace(self.low, streaming=False, stages=rest)
        body = self._waiting(at, replace(state, partial=None), inside)
        self.finish, self.out_view, self.low, self.origin = saved

        body += unless_failed(
            self.scope, self._concluded(state, lambda finish, out: self._recomposed(reads, state, finish, out, shared))
        )
        return [*before, *_allocated(buffers, body, stages[0].region)]

    def _recomposed(
        self,
        reads: tuple[Access, ...],
        state: NestPosition,
        finish: Finish | None,
        out_view: tuple[Access, ...],
        shared: bool,
    ) -> list[Statement]:
        low = of_stage(self, reads, finish, out_view, shared)
        return Nest(replace(low, streaming=self.low.streaming), self.scope).write(state.ranges)

    def _concluded(
        self, state: NestPosition, write: Callable[[Finish | None, tuple[Access, ...]], list[Statement]]
    ) -> list[Statement]:
        """What has waited becomes results of the expression, or joins what the parts before have come to.

        write: its re-composition with a finish, to an output view.
        """
        partial = state.partial
        if partial is None or partial.again:
            return write(self.finish, self.out_view)
        out: list[Statement] = []
        first = self.flag(state.ranges, 0, out)
        begin = write(None, partial.buffers)
        out.append(If(first, tuple(begin), tuple(write(accumulating(self, partial.buffers), partial.buffers))))
        if self.finish is not None or partial.buffers != self.out_view:
            last = self.flag(state.ranges, 1, out)
            finished = self._recomposed(partial.buffers, state, self.finish, self.out_view, False)
            out.append(If(last, tuple(finished)))
        return out

    def nested(self, low: LowLevel) -> list[Statement]:
        """The statements of another computation in the same scope."""
        return Nest(low, self.scope).write()

    def checked(self, steps: list[Statement]) -> list[Statement]:
        """`steps`, which write results at once: the subscripts that they use have to be looked at before."""
        return steps if self.conditions is None else self.conditions(steps)

    # -------------------------------------------------------------------------------- accumulate, finish

    def _with_partial(self, n: int, state: NestPosition) -> list[Statement]:
        """Memory for results that wait for further parts of a collapsed dimension."""
        assert self.operator is not None
        remaining = [name for name in self.expression.remaining]
        partial, before, scratch = Partial.plan(self, remaining, state.ranges)
        body = self.level(n, replace(state, partial=partial))
        for buffer, type, count in reversed(scratch):
            body = [Scratch(buffer, type, count, tuple(body), "L2")]
        return [*before, *body]

    def _accumulate(self, n: int, state: NestPosition) -> list[Statement]:
        """Accumulators for one tile of results, the loops that collapse, and what is done with the sums."""
        out: list[Statement] = []
        if self.scan is not None:
            return self._scan(n, state)
        accumulators = Accumulators(self, state, out)
        if accumulators.needed:
            accumulators.declare()
            out += self._collapse(n, state, accumulators)
            accumulators.finish()
        else:
            self._collapse_into(out, state, accumulators)
        return _allocated(accumulators.buffers, out, "L1")

    def _collapse(self, n: int, state: NestPosition, accumulators: Accumulators) -> list[Statement]:
        if n == len(self.parts) or self.parts[n].dim not in accumulators.collapsed:
            out: list[Statement] = []
            results = self._results(n, state, out, accumulators.level + 1)
            packed = state.packed if results is None else {}
            tile = self._micro_kernel(state, packed, out, relaxed=results is None)
            accumulators.update(tile, out, results)
            tile.prefetch_inputs()
            return out
        if self.parts[n].layer == "L1":
            return self._micro(n, state, lambda m, s: self._collapse(m, s, accumulators))
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
        tile.prefetch_inputs()

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
        carry.begin(self.start)
        assert self.parts[n].dim == self.scan, "the loop of a prefix sum is outside those that collapse"

        def step(m: int, inner: NestPosition) -> list[Statement]:
            body: list[Statement] = []
            carry.advance(inner, body, self._results(m, inner, body, 1))
            return body

        return [*out, *self._micro(n, state, step)]

    def _scan_cores(self, n: int, state: NestPosition) -> list[Statement]:
        """A prefix sum over cores: reduce the parts, scan their totals, scan each part from there."""
        part = self.parts[n]
        before: list[Statement] = []
        tasks = self.core_parts.tasks(state, max(1, -part.size), before)
        parts, share = self.core_parts.split(part, state, tasks, before)
        kept = tuple(d for d in self.expression.remaining if d != self.scan)

        def within(task: Name, inside: list[Statement]) -> NestPosition:
            return replace(state, ranges={**state.ranges, part.dim: share(task, inside)})

        task = self.scope.index("task")
        totals, buffers = plan_private(self, task, parts, kept, state.ranges)
        rows = self._rows(kept, state)
        reducing: list[Statement] = []
        inner = within(task, reducing)
        reducing += self._reduction(totals).write(inner.ranges)
        work: list[Statement] = [
            Parallel(task, subtract(parts, integer(1)), tuple(reducing), f"COR {part.dim}: totals")
        ]
        work += scan_totals(Accumulators(self, replace(state, tile={}), []), totals, parts, rows)
        again = self.scope.index("task")
        scanning: list[Statement] = []
        for access in totals:
            self.scope.sizes[access.index[0].names[0]] = again
        inner = within(again, scanning)
        self.start = totals
        scanning += self.level(n + 1, inner)
        if self.low.streaming:
            scanning.append(Fence())
        work.append(Parallel(again, parts, tuple(scanning), f"COR {part.dim}"))
        return [*before, *_allocated(buffers, work)]

    def _rows(self, kept: Sequence[str], state: NestPosition) -> Value:
        """How many results the dimensions `kept` have together."""
        rows: Value = integer(1)
        for name in kept:
            begin, end = state.ranges[name]
            rows = multiply(rows, maximum(subtract(end, begin), integer(1)))
        return rows

    def _reduction(self, totals: tuple[Access, ...]) -> Nest:
        """The same computation with the prefix sum's dimension collapsed, its results in `totals`."""
        assert self.operator is not None
        md_hom = self.expression.md_hom
        combine = tuple(PointWise(c.operator) if isinstance(c, PrefixSum) else c for c in md_hom.combine)
        reduced = replace(md_hom, combine=combine)
        expression = replace(self.expression, md_hom=reduced, finish=None, out_view=totals)
        lanes = self.operator.commutative
        parts = [p for p in self.low.parts if p.way != "core" and (lanes or p.dim != self.scan)]
        if not lanes:
            assert self.scan is not None
            at = next(m for m, p in enumerate(self.low.parts) if p.dim == self.scan and p.way == "loop")
            parts.insert(sum(1 for p in self.low.parts[:at] if p.way != "core"), Part("L1", self.scan, 1, "loop"))
        return Nest(LowLevel(expression, tuple(parts)), self.scope)


def _allocated(buffers: Buffers, body: list[Statement], region: str = "MM") -> list[Statement]:
    for buffer, type, count in buffers:
        body = [Scratch(buffer, type, count, tuple(body), region)]
    return body
