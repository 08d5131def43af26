"""Results of a register tile: finished, and stored where they belong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.tile_shapes import Point
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.codegen.loops.recomposition.transposed_accesses import TransposedAccesses
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.codegen.microkernel.scalar_code import Term
from jitmdh.mdh.codegen.microkernel.store_coalescing import coalesced, nontemporal_aligned
from jitmdh.mdh.kernel.ir import Literal, Name, Statement, Value


@dataclass(frozen=True, slots=True)
class ResultStores:
    """Finishes and stores the results of one register tile, whose shape is in `state`."""

    nest: NestFacts
    state: NestPosition

    def finish(self, tile: MicroKernelBuilder, points: Sequence[Point], terms: Sequence[Sequence[Term]]) -> None:
        """Finish the states of all points, then write the results: no load waits for a store."""
        begin = len(tile.out)
        finished = [self.finished(tile, point, of_point) for point, of_point in zip(points, terms)]
        if self.state.to.finish is not None and self.state.to.scatter is None:
            tile.out[begin:] = self.transposed(tile).loads(tile.out[begin:])
        self.store(tile, points, finished)
        if self.nest.low.prefetched and self.nest.is_widest(self.state):
            for access in self._held():
                tile.prefetch_short_rows(access, points, write=access in self.state.to.out_view)

    def _held(self) -> Iterator[Access]:
        """What the results take in and each has its own element of: others pass by again and stay near a core."""
        to = self.state.to
        if to.finish is None or to.scatter is not None:
            return
        own = {name for access in to.out_view for index in access.index for name in index.names}
        for access in to.finish.inp_view:
            if own == {name for index in access.index for name in index.names}:
                yield access

    def finish_one(self, tile: MicroKernelBuilder, point: Point, terms: Sequence[Term]) -> None:
        """Finish one state and write its results."""
        self._store(tile, point, self.finished(tile, point, terms))

    def put(
        self,
        out: list[Statement],
        buffers: tuple[Access, ...],
        points: Sequence[Point],
        states: Sequence[Sequence[Value]],
    ) -> None:
        """Partial results as they are, to where they wait."""
        tile = MicroKernelBuilder(self.nest.scope, self.state.tile, {}, out)
        for point, values in zip(points, states):
            tile.store_all(buffers, (), point, values, False)

    @property
    def _outer_guard(self) -> tuple[Affine, ...]:
        e = self.nest.expression
        return tuple(g for g in e.md_hom.guard if not set(g.names) & set(e.collapsed))

    def finished(self, tile: MicroKernelBuilder, point: Point, terms: Sequence[Term]) -> list[Value]:
        """The results to write; a fault of one that is written is an error."""
        finish = self.state.to.finish
        if finish is not None:
            loads = [Term(tile.load(-1, a, self._outer_guard, point)) for a in finish.inp_view]
            terms = tile.terms(finish.function, (*terms, *loads), point)
        for access, term in zip(self.state.to.out_view, terms):
            tile.fail([term], [tile.guard_mask(self._outer_guard + access.guard, point)])
        return [t.value if isinstance(t.value, (Literal, Name)) else tile.let("result", t.value) for t in terms]

    def _store(self, tile: MicroKernelBuilder, point: Point, results: Sequence[Value]) -> None:
        if self.state.to.scatter is not None:
            (access,), (value,) = self.state.to.out_view, results
            self.state.to.scatter.update(tile, access, self._outer_guard, point, value)
            return
        streaming = self.state.to.streaming and not self._coalescing_pays_little
        tile.store_all(self.state.to.out_view, self._outer_guard, point, results, streaming)

    @property
    def _coalescing_pays_little(self) -> bool:
        """Whether stores are not worth coalescing: remainders of loops that begin anywhere in a cache line."""
        return self.state.to.streaming and self.nest.blocked and self.nest.in_remainder(self.state)

    def store(self, tile: MicroKernelBuilder, points: Sequence[Point], finished: Sequence[Sequence[Value]]) -> None:
        """All results of a tile; those that are contiguous in memory are coalesced."""
        behind, columns = len(tile.out), list[Statement]()
        for point, results in zip(points, finished):
            self._store(tile, point, results)
        if self.state.to.scatter is None and _apart(self.state.to.out_view):
            tile.out[behind:], columns = self.transposed(tile).stores(tile.out[behind:])
        if len(self.state.to.out_view) == 1 and not self._coalescing_pays_little:
            self._coalesce(tile, behind)
        tile.out.extend(columns)

    def transposed(self, tile: MicroKernelBuilder) -> TransposedAccesses:
        """For what a tile has accessed so far; some lanes of it may not be there."""
        mask = tile.code.mask_so_far
        count = None if mask is None else tile.code.lanes_left()
        return TransposedAccesses(self.nest.scope, mask, count, tile.code.conditions)

    def _coalesce(self, tile: MicroKernelBuilder, behind: int) -> None:
        """Stores of one tile, from a statement on."""

        def coalesced_stores(stores: Sequence[Statement]) -> list[Statement]:
            """Loops begin where results are aligned only if nothing is copied in their parts."""
            return coalesced(stores, alone=not self.nest.blocked)

        aligned = any(self.nest.peels_to_alignment(dim, self.state) for dim in self.state.tile)
        stores = tile.out[behind:]
        tile.out[behind:] = nontemporal_aligned(stores, coalesced_stores) if aligned else coalesced_stores(stores)


def _apart(accesses: Sequence[Access]) -> bool:
    """Whether no two of them write one element: they are of different arrays, or differ in numbers for some axes."""
    axes: dict[str, set[int]] = {}  # that have a number in all accesses of an array
    for access in accesses:
        numbers = {axis for axis, index in enumerate(access.index) if not index.terms}
        axes[access.buffer] = axes.get(access.buffer, numbers) & numbers
    places = {(a.buffer, *(a.index[axis] for axis in sorted(axes[a.buffer]))) for a in accesses}
    return len(places) == len(accesses)
