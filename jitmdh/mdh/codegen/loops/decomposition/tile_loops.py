"""Loops over the register tiles of one dimension: full tiles, remainders, and peeling to aligned addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import as_affine
from jitmdh.mdh.codegen.context.tile_shapes import MakeTile, TileDim
from jitmdh.mdh.codegen.loops.decomposition.guarded_loops import LoopPiece, cuts, needed_end, pieces
from jitmdh.mdh.codegen.loops.decomposition.masked_whole import masked_as_one
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import Inside, NestFacts, NestPosition, Then
from jitmdh.mdh.codegen.loops.decomposition.overlapping import Overlapping
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, lead, minimum, multiply, remainder, subtract
from jitmdh.mdh.kernel.ir import Apply, For, If, Let, Literal, Statement, Value
from jitmdh.mdh.lowering.problem.traffic import masked_only


@dataclass(frozen=True, slots=True)
class TileLoops:
    """entered: the statements of one part of a level, with what is copied and what waits there."""

    nest: NestFacts
    entered: Callable[[int | range, NestPosition, Inside], list[Statement]]

    def write(self, n: int, state: NestPosition, then: Then) -> list[Statement]:
        """The loop over register tiles of one dimension: full tiles, then the remainder."""
        part = self.nest.parts[n]
        dim, size, lanes = part.dim, part.size, self.nest.lanes[part.dim]
        begin, end = state.ranges[dim]

        def tile(base: Value, count: int, width: int, stop: Value | None, multiple: int) -> list[Statement]:
            shape = TileDim(base, count, width, stop, multiple)
            high = add(base, integer(count * width))
            high = high if stop is None else minimum(high, stop)
            inner = replace(state, tile={**state.tile, dim: shape}, ranges={**state.ranges, dim: (base, high)})
            return self.entered(n, inner, lambda s: then(n + 1, s))

        length, multiple = subtract(end, begin), self.nest.scope.length((begin, end))
        if isinstance(length, Literal) and length.value == size:
            return tile(begin, size // lanes, lanes, None, size)
        out: list[Statement] = []
        comment, natural = f"{part.layer} {dim}", dim not in self.nest.ragged
        found = cuts(self.nest, n, state)
        rest = length.value % size if isinstance(length, Literal) else multiple % size  # type: ignore[operator]
        if rest and (overlapping := Overlapping.of(self.nest, dim, size, state)) is not None:
            loops = overlapping.write((begin, end), tile, comment, out)
            return [*out, *loops]
        if size > 1 and self._in_one_loop(dim, state):
            index = self.nest.scope.index(dim)
            each = tile(index, 1, lanes, end if multiple % lanes else None, lanes)
            return [For(index, begin, needed_end(found, end), integer(lanes), tuple(each), comment, natural=natural)]
        if not found and masked_as_one(self.nest, dim, size, state):
            index = self.nest.scope.index(dim)
            each = tile(index, size // lanes, lanes, end, size)
            return [For(index, begin, end, integer(size), tuple(each), comment, natural=natural)]
        if self.nest.peels_to_alignment(dim, state):
            return self._peeled(n, state, tile)
        stop, left = end, int(length.value) % size if isinstance(length, Literal) else None  # type: ignore[arg-type]
        if multiple % size and left is not None and isinstance(end, Literal):
            stop = subtract(end, integer(left))
        elif multiple % size:
            name = self.nest.scope.index(f"{dim}_full")
            out.append(Let(name, subtract(end, remainder(length, size))))
            stop = name
        full = [] if stop == begin else [LoopPiece((begin, stop))]
        for piece in pieces(found, self.nest, dim, (begin, stop), size, out) if found else full:
            index = self.nest.scope.index(dim)
            with self.nest.scope.holding(piece.holding):
                whole = tuple(tile(index, size // lanes, lanes, None, size))
            at_edge = " where a condition holds for some" if found and not piece.holding else ""
            out.append(For(index, *piece.range, integer(size), whole, comment + at_edge, natural=natural))
        if left == 1 < lanes and not found and self._has_plain_points(dim, state):
            return [*out, *tile(stop, 1, 1, None, 1)]
        if left and left <= lanes and not found and isinstance(stop, Literal):  # one tile: how much of it is known
            return [*out, *tile(stop, 1, lanes, end if left % lanes else None, lanes)]
        if multiple % size and left != 0:
            index = self.nest.scope.index(dim)
            body = tuple(tile(index, 1, lanes, end if multiple % lanes else None, lanes))
            stopped = stop, needed_end(found, end), integer(lanes)
            out.append(For(index, *stopped, body, f"{comment} remainder", natural=natural))
        return out

    def _peeled(self, n: int, state: NestPosition, tile: MakeTile) -> list[Statement]:
        """Tiles from where results are aligned; what is before and behind, at most a few vectors, has one code if the
        order does not matter."""
        part = self.nest.parts[n]
        dim, size, lanes = part.dim, part.size, self.nest.lanes[part.dim]
        begin, end = state.ranges[dim]
        comment = f"{part.layer} {dim}"
        out: list[Statement] = []
        aligned = self._first_aligned(dim, state, out)
        full = self.nest.scope.named(f"{dim}_full", subtract(end, remainder(subtract(end, aligned), size)), out)

        def loop(first: Value, stop: Value, whole: bool, comment: str) -> For:
            index = self.nest.scope.index(dim)
            body = tile(index, size // lanes, lanes, None, size) if whole else tile(index, 1, lanes, stop, 1)
            return For(index, first, stop, integer(size if whole else lanes), tuple(body), comment)

        if ends := self._prefetch_row_ends(n, state, begin):
            out.append(If(compare("lt", begin, aligned), tuple(ends)))
        if dim == self.nest.scan:
            out.append(loop(begin, aligned, False, f"{comment} up to an aligned address"))
            out.append(loop(aligned, full, True, comment))
            return [*out, loop(full, end, False, f"{comment} remainder")]
        side, first, stop = (self.nest.scope.index(hint) for hint in ("side", f"{dim}_first", f"{dim}_stop"))
        before = compare("eq", side, integer(0))
        low, high = (Apply("select", (before, *pair), int64) for pair in ((begin, full), (aligned, end)))
        either = Let(first, low), Let(stop, high), loop(first, stop, False, "")
        comments = f"{comment} up to an aligned address, and remainder"
        out.append(For(side, integer(0), integer(2), integer(1), either, comments))
        return [*out, loop(aligned, full, True, comment)]

    def _in_one_loop(self, dim: str, state: NestPosition) -> bool:
        """Whether one loop serves full tiles and the remainder: in remainders of other dimensions, if it costs little.

        Vectors are masked there; they are taken one by one where no loop over terms waits for sums of few points, and
        go through the caches if there is something to compute meanwhile. Reductions are not unrolled, if that is not
        for accumulators of their own: those that are split, and those of an operator inside of theirs.
        """
        loops = any(d.extent != as_affine(self.nest.counts[d.name]) for d in self.nest.collapsing)
        if self._is_written_once(dim) and not state.to.streaming:
            return True
        if not self.nest.in_remainder(state) or (state.to.streaming and (loops or not self.nest.collapsing)):
            return False
        if self.nest.lanes[dim] > 1:
            return not loops or self.nest.counts[dim] == self.nest.lanes[dim]
        inside = self.nest.groups[-1].names if len(self.nest.groups) > 1 else self.nest.collapsed
        return dim in self.nest.collapsed and dim in inside and dim not in self.nest.low.split_accumulators

    def _is_written_once(self, dim: str) -> bool:
        """Whether a tile is one vector of code that is written for masked vectors only."""
        lanes = self.nest.lanes[dim]
        return self.nest.counts[dim] == lanes and masked_only(self.nest.expression, dim, lanes)

    def _has_plain_points(self, dim: str, state: NestPosition) -> bool:
        """Whether a single point behind full vectors may be computed without lanes: one of nine takes half of a vector
        that is masked, and if its neighbors in results lie apart, an eighth."""
        plain = not self.nest.collapsing and not state.to.streaming and dim not in self.nest.ragged
        return plain and not self.nest.expression.scattered and dim != self.nest.scan

    def _prefetch_row_ends(self, n: int, state: NestPosition, begin: Value) -> list[Statement]:
        """Before a row whose first and last results do not fill cache lines: prefetch these lines of later rows.

        The stores to them wait until memory has sent the line, and all stores behind them wait, too.
        """
        around = self.nest.parts[n - 1] if n else None
        names = {name for a in state.to.out_view for index in a.index for name in index.names} & self.nest.counts.keys()
        inside = names - {*state.tile, self.nest.parts[n].dim}  # loops over these decide which row it is
        if around is None or around.way != "loop" or around.dim not in state.tile or inside:
            return []
        out: list[Statement] = []
        first = TileDim(begin, 1, self.nest.lanes[self.nest.parts[n].dim])
        tile = MicroKernelBuilder(self.nest.scope, {**state.tile, self.nest.parts[n].dim: first}, state.packed, out)
        rows = [d for d in state.tile if state.tile[d].count > 1]
        step = state.tile[around.dim].count * state.tile[around.dim].lanes
        for point in tile.points(rows):
            for access in state.to.out_view:
                tile.prefetch_results(access, [point], {around.dim: step})
        return out

    def _first_aligned(self, dim: str, state: NestPosition, out: list[Statement]) -> Value:
        """Where the first aligned element of the results is, along `dim`."""
        begin, end = state.ranges[dim]
        access = state.to.out_view[0]
        places = {name: low for name, (low, _) in state.ranges.items()}
        offset: Value = integer(0)
        for index, stride in zip(access.index, self.nest.scope.strides[access.buffer]):
            offset = add(offset, multiply(self.nest.scope.affine(index, places), stride))
        peeled = lead(access.buffer, offset, self.nest.lanes[dim])
        return self.nest.scope.named(f"{dim}_aligned", minimum(add(begin, peeled), end), out)
