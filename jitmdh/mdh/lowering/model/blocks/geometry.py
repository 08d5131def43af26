"""Where the parts of blocks, of their threads, and of copies are: the numbers that estimates are made of."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import ceil, prod
from zlib import crc32

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.model.blocks.accesses import shapes, strides
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.blocks import count, threads, width
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part
from jitmdh.mdh.machine.gpu import WARP
from jitmdh.mdh.machine.multiprocessors import Gpu

_ANYWHERE = 1 << 20  # elements of an array that data lead to


class Geometry:
    """A low-level expression with the sizes of a call, on a GPU."""

    def __init__(self, p: Problem, gpu: Gpu, low: LowLevel) -> None:
        self.p, self.gpu, self.low, self.parts = p, gpu, low, low.parts
        self._counts: dict[Part, int] = {}
        self._spans: dict[int, dict[str, int]] = {}
        self.loops = [n for n, part in enumerate(low.parts) if part.way == "loop"]
        self.thread_dims = list(dict.fromkeys(part.dim for part in low.parts if part.way == "thread"))
        self.threads = threads(self.parts, self.extent)
        self.warps = ceil(self.threads / WARP)
        self.copied = {copy.access: copy for copy in low.copies}
        shape = shapes(p)
        self.strides = {name: strides(axes, p.unit_axes.get(name)) for name, axes in shape.items()}
        e = p.expression
        self.reads = (*e.inp_view, *(access for number in e.indirect for access in number.inp_view))
        """At points; copies are of the first of them."""

    def count(self, part: Part) -> int:
        """How many parts there are in one around them."""
        if part not in self._counts:
            self._counts[part] = count(self.parts, part, self.extent) or 1
        return self._counts[part]

    def extent(self, dim: str) -> int:
        return max(1, self.p.extents[dim])

    def size(self, access: Access) -> int:
        return self.p.expression.buffer(access.buffer).type.size_bytes

    def trips(self, at: int) -> int:
        """How often a block begins a part of parts[at]."""
        return prod(self.count(self.parts[n]) for n in self.loops if n <= at)

    def moves(self, access: Access) -> list[tuple[int, int]]:
        """By how many elements an access moves when a loop goes on, and how often that runs."""
        steps = self.strides[access.buffer]
        found = []
        for n in self.loops:
            part = self.parts[n]
            along = sum(c * step for i, step in zip(access.index, steps) for name, c in i.terms if name == part.dim)
            found.append((along * part.size, self.count(part)))
        return found

    @cached_property
    def tile(self) -> dict[str, list[int]]:
        """Where the points of a thread are, by dimension."""
        found: dict[str, list[int]] = {}
        for name in self.p.extents:
            steps = [q for q in self.parts if q.dim == name and q.way == "unroll"]
            ranges = (range(0, self.count(q) * q.size, q.size) for q in steps)
            found[name] = sorted(sum(offset) for offset in product(*ranges))
        return found

    @cached_property
    def places(self) -> list[dict[str, int]]:
        """Where the threads of the first warp are, and numbers from data there: any, the same at the same place."""
        mine = sorted((q for q in self.parts if q.way == "thread"), key=lambda q: q.layer != "WRP")
        found: list[dict[str, int]] = []
        early = {q.dim: -q.early for q in self.parts if q.early}
        for number in range(min(WARP, self.threads)):
            at: dict[str, int] = dict.fromkeys(self.p.extents, 0) | early
            for part in reversed(mine):
                parts = self.count(part)
                at[part.dim] += number % parts * part.size
                number //= parts
            for data in self.p.expression.indirect:
                where = sorted((d, at[d]) for d in self.p.expression.indirect_depends(data))
                at[data.name] = crc32(repr((data.name, where)).encode()) % _ANYWHERE
            found.append(at)
        return found

    @cached_property
    def points(self) -> int:
        return prod(len(offsets) for offsets in self.tile.values())

    @cached_property
    def results(self) -> int:
        return prod(len(offsets) for name, offsets in self.tile.items() if name in self.p.remaining)

    @cached_property
    def blocks(self) -> dict[str, int]:
        """How many blocks lie along each dimension."""
        found: dict[str, int] = dict.fromkeys(self.p.extents, 1)
        for part in self.parts:
            if part.way == "block":
                early = ceil((self.extent(part.dim) + part.early) / part.size) if part.early else self.count(part)
                found[part.dim] *= early
        return found

    def reach(self, at: int) -> dict[str, int]:
        """How far a block reaches in one part of parts[at], beyond ends of dimensions, too."""
        if at not in self._spans:
            found = dict.fromkeys(self.p.extents, 1)
            for n, part in enumerate(self.parts):
                if part.way != "block" and not (part.way == "loop" and n <= at):
                    found[part.dim] += (self.count(part) - 1) * part.size
            self._spans[at] = found
        return self._spans[at]

    def spans(self, at: int) -> dict[str, int]:
        """As `reach`, but within dimensions."""
        return {dim: min(self.extent(dim), n) for dim, n in self.reach(at).items()}

    def widths(self, copy: Copy) -> list[int]:
        spans = self.reach(copy.at)
        return [width(index, spans) for index in self.p.expression.inp_view[copy.access].index]
