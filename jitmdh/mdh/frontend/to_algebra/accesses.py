"""The accesses of a program as expressions are made of it: where they happen, and the buffers that they are of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Buffer
from jitmdh.mdh.algebra.index import Affine, is_size
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation, size_expr
from jitmdh.mdh.frontend.python.iteration.leaving import ENDLESS
from jitmdh.mdh.frontend.python.iteration.loop_ranges import strided_length
from jitmdh.mdh.frontend.trace_ir.domain import Domain
from jitmdh.mdh.frontend.trace_ir.store_forwarding import extent_reads, index_reads, reads_of
from jitmdh.mdh.frontend.trace_ir.trace import Item, Repeated, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim, Read


@dataclass(frozen=True, slots=True)
class Site:
    """An access as emitted, with where it happens and whether that depends on data only.

    needs: loops have to be that long for Python to get there; skipped: where they are not, the access does not happen.
    """

    access: Access
    dims: tuple[LoopDim, ...]
    guard: tuple[Affine, ...]
    speculative: bool
    needs: tuple[Affine, ...] = ()
    skipped: bool = False


@dataclass(slots=True, eq=False)
class Accesses:
    """Those of one program. used: buffers; contracted: axes that temporaries do not need."""

    trace: Trace
    sites: list[Site] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    contracted: dict[str, set[int]] = field(default_factory=dict)

    def extent(self, dim: LoopDim, path: tuple[LoopDim, ...] = ()) -> Affine:
        """The greatest number of iterations; exact where only the sequential loops of `path` are around."""
        if dim.length is None:
            room = Domain(dim.outer).greatest(dim.room)
            assert room is not None
            return strided_length(self.trace, dim.name, room, dim.stride)
        greatest = Domain(tuple(d for d in dim.outer if d not in path)).greatest(dim.length)
        assert greatest is not None
        return greatest

    def access(
        self, read: Read, extra: tuple[Affine, ...], dims: tuple[LoopDim, ...], guard: tuple[Affine, ...],
        needs: tuple[Affine, ...] = (), loose: bool = False, skipped: bool = False,
    ) -> Access:  # fmt: skip
        own = tuple(dict.fromkeys(g for g in (*read.guard, *extra) if g not in guard or g in extra))
        access = Access(read.buffer, self.index(read.buffer, read.index), own, read.loc)
        return self.site(access, dims, guard + own, read.speculative or loose, needs, skipped)

    def site(
        self, access: Access, dims: tuple[LoopDim, ...], guard: tuple[Affine, ...], speculative: bool,
        needs: tuple[Affine, ...] = (), skipped: bool = False,
    ) -> Access:  # fmt: skip
        self.used.add(access.buffer)
        self.sites.append(Site(access, dims, guard, speculative, needs, skipped))
        certain = skipped or all(e.is_constant and e.constant > 0 for e in needs)
        return replace(access, speculative=speculative or not certain)

    def index(self, buffer: str, index: tuple[Affine, ...]) -> tuple[Affine, ...]:
        gone = self.contracted.get(buffer)
        return index if not gone else tuple(x for n, x in enumerate(index) if n not in gone)

    def shape(self, buffer: str) -> tuple[Affine, ...]:
        info = self.trace.buffers[buffer]
        if info.expanded is None:
            return info.shape
        gone = self.contracted.get(buffer, set())
        for d in info.expanded:
            if has_indirect(self.extent(d)):
                text = "a loop with bounds from data needs memory for a value of each iteration"
                raise NotAnMdhError(text, loc=d.loc, hint="update arrays or a sum directly in the loop")
        kept = [(n, d) for n, d in enumerate(info.expanded) if n not in gone]
        if any(d.length is not None and d.length.is_constant and d.length.constant >= ENDLESS for _, d in kept):
            raise NotAnMdhError("a loop that data end needs memory for a value of each iteration")
        return (*(self._length(d.name, self.extent(d)) for n, d in kept), *info.shape)

    def _length(self, name: str, extent: Affine) -> Affine:
        """`extent`, but not below 0."""
        certain = all(c > 0 and is_size(n) for n, c in extent.terms) and extent.constant >= 0
        if certain:
            return extent
        return self.trace.define(f"{name}_length", SizeOperation("max", SizeConstant(0), size_expr(extent)))

    def buffers(self, accesses: Iterable[Access], others: Iterable[str] = ()) -> tuple[Buffer, ...]:
        names = dict.fromkeys((*(a.buffer for a in accesses), *others))
        return tuple(self._buffer(n) for n in names)

    def _buffer(self, name: str) -> Buffer:
        info = self.trace.buffers[name]
        return Buffer(name, info.type.concrete, self.shape(name), info.of, info.apart)

    def contract(self, items: Iterable[Item]) -> None:
        """Temporaries need no axis for a loop that is sequential around all their uses."""
        paths: dict[str, list[tuple[Repeated, ...]]] = {}

        def used(reads: Iterable[Read], path: tuple[Repeated, ...]) -> None:
            for read in reads:
                paths.setdefault(read.buffer, []).append(path)

        def visit(items: Iterable[Item], path: tuple[Repeated, ...]) -> None:
            for item in items:
                if isinstance(item, Repeated):
                    used(extent_reads(self.trace, (item.dim,)), path)
                    visit(item.items, (*path, item))
                    continue
                used((*extent_reads(self.trace, item.dims), *index_reads(self.trace, item.guard)), path)
                for target in item.targets:
                    paths.setdefault(target.buffer, []).append(path)
                    used((*reads_of(self.trace, target.value), *index_reads(self.trace, target.index)), path)

        visit(items, ())
        for name, found in paths.items():
            expanded = self.trace.buffers[name].expanded
            if expanded:
                common = {r.dim for r in found[0] if all(r in p for p in found)}
                self.contracted[name] = {n for n, d in enumerate(expanded) if d in common}


def alone(dims: Sequence[LoopDim], collapsed: Iterable[str] = ()) -> tuple[LoopDim, ...]:
    """The dimensions that remain, with bounds that mention none but these."""
    kept: list[LoopDim] = []
    left = [d for d in dims if d.name not in collapsed]
    for d in left:
        gone = tuple(o for o in d.outer if o not in left)
        if {o.name for o in gone}.intersection(d.room.names):
            room = Domain(gone).greatest(d.room) or d.room
            length = None if d.length is None else Domain(gone).greatest(d.length)
            guard = (room - 1 - Affine.of(d.name) * d.stride,)
            d = LoopDim(d.name, room, d.stride, length, d.serial, guard, d.loc, d.outer)
        kept.append(d)
    return tuple(kept)
