"""Tiles as large as all others where few points are left: the last one begins earlier, and computes some twice.

    for (i = 0; i < n; i += 16) { first = min(i, n - 16); … points first to first + 15 … }

There is no code for a remainder, whose vectors would be masked, or be loaded and stored element by element where rows
are transposed. Requires that what is computed twice is the same: nothing that is written is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Expression
from jitmdh.mdh.algebra.independence import whole_name
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.tile_shapes import MakeTile, Range
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.kernel.arithmetic import compare, integer, minimum, remainder, subtract
from jitmdh.mdh.kernel.ir import For, If, Let, Literal, Statement, Value
from jitmdh.mdh.lowering.configuration.shape_class import size_class
from jitmdh.mdh.lowering.problem.prices import masked_cycles


@dataclass(frozen=True, slots=True)
class Overlapping:
    """The tiles of one dimension. size: points of one; lanes: of its vectors; whole: all loops take whole tiles, not
    vectors alone where these are left."""

    nest: NestFacts
    dim: str
    size: int
    lanes: int
    whole: bool

    @staticmethod
    def of(nest: NestFacts, dim: str, size: int, state: NestPosition) -> Overlapping | None:
        """None where they would not be right, or not better: vectors of a remainder cost little more, if they are
        masked by one instruction, and rows that are not there are not moved."""
        lanes, rows = nest.lanes[dim], _lies_along(nest, dim)
        if nest.scope.machine.warps or size < 2 or state.to.streaming or state.packed or dim not in nest.begins:
            return None
        if not (lanes > 1 or rows) or not _twice(nest, state.to.out_view):
            return None
        sizes = [nest.expression.buffer(a.buffer).type.size_bytes for a in _accesses(nest.expression)]
        loads, stores = masked_cycles(nest.scope.machine, min(sizes))
        if lanes > 1 and not (loads if rows else loads + stores):
            return None
        found = Overlapping(nest, dim, size, lanes, lanes == 1 or (rows and size == lanes))
        return found if found._fits() else None

    def write(self, range: Range, tile: MakeTile, comment: str, out: list[Statement]) -> list[Statement]:
        """All loops over a range. out: what comes before."""
        begin, end = range
        step = self.size if self.whole else self.lanes
        loops: list[Statement] = []
        first = begin

        def whole(at: Value) -> list[Statement]:
            return tile(at, self.size // self.lanes, self.lanes, None, self.size)

        if not self.whole:
            length = subtract(end, begin)
            first = self.nest.scope.named(f"{self.dim}_full", subtract(end, remainder(length, self.size)), out)
            loops += self._loop((begin, first), self.size, comment, whole)
            comment += " remainder"

        def last(at: Value) -> list[Statement]:
            base = self.nest.scope.index(f"{self.dim}_first")
            let = Let(base, minimum(at, subtract(end, integer(step))))
            return [let, *tile(base, step // self.lanes, self.lanes, None, 1)]

        loops += self._loop((first, end), step, comment, last)
        length = subtract(end, self.nest.begins[self.dim])
        if isinstance(length, Literal):  # long enough, as `_fits` has found
            return loops
        there = compare("ge", length, integer(step))
        each = self._loop(range, 1, f"{comment} of few", lambda at: tile(at, 1, 1, None, 1))
        return [If(there, tuple(loops), tuple(each))]

    def _loop(self, range: Range, step: int, comment: str, body: Callable[[Value], list[Statement]]) -> list[Statement]:
        """None of one round, or of no round, where that is known."""
        begin, end = range
        if isinstance(begin, Literal) and isinstance(end, Literal) and (end.value - begin.value) <= step:  # type: ignore[operator]
            return body(begin) if begin.value < end.value else []  # type: ignore[operator]
        index = self.nest.scope.index(self.dim)
        return [For(index, *range, integer(step), tuple(body(index)), comment)]

    def _fits(self) -> bool:
        """Whether a tile is no larger than the range, in all calls that the code is chosen for."""
        step = self.size if self.whole else self.lanes
        extent = next(d.extent for d in self.nest.expression.md_hom.dims if d.name == self.dim)
        return _least(extent, self.nest.scope.typical) >= step


def _accesses(e: Expression) -> tuple[Access, ...]:
    return (*e.inp_view, *e.out_view, *(e.finish.inp_view if e.finish is not None else ()))


def _twice(nest: NestFacts, written: tuple[Access, ...]) -> bool:
    """Whether points may be computed twice: nothing collapses, or depends on what is written."""
    e, low = nest.expression, nest.low
    if nest.collapsing or nest.ragged or e.indirect or e.procedures or e.md_hom.guard or e.scattered:
        return False
    if low.copies or low.stages or written != e.out_view or any(a.guard for a in _accesses(e)):
        return False
    reads = (*e.inp_view, *(e.finish.inp_view if e.finish is not None else ()))
    if not {a.buffer for a in _accesses(e)} <= {b.name for b in e.buffers}:  # results wait, or are those of a part
        return False
    results = {whole_name(e.buffer(a.buffer)) for a in written}
    return results.isdisjoint(whole_name(e.buffer(a.buffer)) for a in reads)


def _lies_along(nest: NestFacts, dim: str) -> bool:
    """Whether a dimension is that of the vectors of a tile, or of its other points, and some array lies along the other
    points, across the vectors: they are transposed."""
    lane = next((d for d, n in nest.lanes.items() if n > 1), None)
    if lane is None or nest.counts[dim] < 2:
        return False
    for access in _accesses(nest.expression):
        strides = nest.scope.strides.get(access.buffer, ())
        along = [n for i, stride in zip(access.index, strides) if stride == integer(1) for n in i.names]
        across = lane not in along and any(lane in i.names for i in access.index)
        rows = [d for d in along if nest.counts.get(d, 1) > 1]
        if across and (dim in rows or (dim == lane and rows)):
            return True
    return False


def _least(extent: Affine, typical: Mapping[str, int]) -> int:
    """The least value of an extent, for all sizes in the classes of typical ones; 0: not known."""
    least = extent.constant
    for name, coefficient in extent.terms:
        if name not in typical:
            return 0
        low, high = size_class(typical[name])
        least += coefficient * (low if coefficient > 0 else high)
    return least
