"""Expressions one after the other as one part for each block.

Of what the last of them is to leave there, it is followed back what each of them has to compute, and what they need in
the beginning.

a = f(b); b = g(a), where f and g read one element on either side, and blocks [0, 100), [100, 200), …
→  b[100:200] takes a[99:201], which takes b[98:202]: two elements more of b on either side, once for both steps

Points near borders are computed for several blocks. In turn steps need not wait for each other, nothing is sent between
them, and no step makes arrays of its own. How many are taken together follows from what each of that costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import reduce
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.rewrites.reverse_scans import forward_scans
from jitmdh.mdh.partition.grids import Box, Coordinates, Grid, extents, intersection
from jitmdh.mdh.partition.nodes import Costs, Nodes, Pace
from jitmdh.mdh.partition.part import Output, Part, PartBuilder
from jitmdh.mdh.partition.plan import (
    Block,
    BlockPiece,
    Filled,
    Gather,
    Mosaic,
    Origin,
    Own,
    Place,
    ProgramCall,
    Slices,
    Version,
)
from jitmdh.mdh.partition.planning.cut import ExpressionCut, Progress, whole_ranges
from jitmdh.mdh.partition.planning.interior import around, is_rectangular
from jitmdh.mdh.partition.planning.phases import prepared
from jitmdh.mdh.partition.ranges import Range, image, is_empty

_MOST_LINKS = 64
_MOST_BOXES = 32  # that a need is in


@dataclass(frozen=True)
class Link:
    """An expression in an iteration of the loops in order around it. cut: of it."""

    expression: Expression
    around: Mapping[str, int]
    cut: ExpressionCut

    @property
    def written(self) -> tuple[str, ...]:
        return tuple(a.buffer for a in self.cut.e.out_view)


@dataclass(frozen=True)
class Need:
    """The elements of an array that are needed: those in `boxes`, of which no two overlap."""

    boxes: tuple[Box, ...]

    @property
    def box(self) -> Box:
        """The least one around all of them."""
        return reduce(hull, self.boxes)

    def without(self, region: Box) -> Need | None:
        """None: nothing any more."""
        left = tuple(part for box in self.boxes for part in _apart(box, region))
        return Need(left).simple() if left else None

    def simple(self) -> Need:
        """One box where several fill it, or are too many: then of more elements than are needed."""
        filled = sum(prod(extents(b)) for b in self.boxes) == prod(extents(self.box))
        return Need((self.box,)) if filled or len(self.boxes) > _MOST_BOXES else self


def _apart(box: Box, region: Box) -> Iterator[Box]:
    return iter((box,)) if 0 in extents(intersection(region, box)) else around(region, box)


def with_region(need: Need | None, region: Box) -> Need:
    left = None if need is None else need.without(region)
    return Need((region, *(left.boxes if left is not None else ()))).simple()


def hull(a: Box, b: Box) -> Box:
    return tuple((min(x[0], y[0]), max(x[1], y[1])) for x, y in zip(a, b))


@dataclass(frozen=True)
class Step:
    """What one link does for a block: `part` writes to `box`. points: how many it computes; read, written: bytes."""

    link: Link
    part: Part
    ranges: dict[str, Range]
    box: Box
    points: int
    read: int
    written: int


@dataclass
class Chain:
    """Links so far, whose results are in the blocks of `grids`, as many along each axis for all of them."""

    progress: Progress
    costs: Costs
    links: list[Link] = field(default_factory=list)
    grids: dict[str, Grid] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.versions = dict(self.progress.versions)

    # ------------------------------------------------------------------------------------------ links

    def add(self, expression: Expression) -> bool:
        """Whether the expression, in the iterations where `progress` is, can be in one part with those before."""
        if len(self.links) >= _MOST_LINKS:
            return False
        e = prepared(expression)
        sizes = self.progress.sizes
        whole = whole_ranges(e, sizes)
        if whole is None:
            return True
        if not is_rectangular(e, whole, sizes) or any(isinstance(c, PrefixSum) for c in e.md_hom.combine):
            return False
        names = [a.buffer for a in e.out_view]
        if len({(a.index, a.guard) for a in e.out_view}) > 1 or len(set(names)) < len(names):
            return False
        cut = ExpressionCut(self.progress, e, whole, self.versions, {}, forward_scans(expression) == expression)
        if any(cut.alignment.cuts(name) for name in e.collapsed):
            return False
        free = self.progress.free
        grids = {n: cut.alignment.results(cut.access, self.versions[n].grid, n in free) for n in names}
        known = list(self.grids.values())[:1] or list(grids.values())[:1]
        if known[0].count == 1 or any(g.blocks != known[0].blocks for g in grids.values()):
            return False
        if any(self.grids.get(n, g) != g for n, g in grids.items()):
            return False
        self.grids |= grids
        self.versions = {**self.versions, **{n: Version(g, self.versions[n].type, {}) for n, g in grids.items()}}
        self.links.append(Link(expression, dict(self.progress.around), cut))
        return True

    # ------------------------------------------------------------------------------------------ how many at a time

    def groups(self) -> Iterator[Sequence[Link]]:
        """The links in runs that are one part each."""
        count = self.most_together() if len(self.links) > 1 else 1
        for begin in range(0, len(self.links), count):
            yield self.links[begin : begin + count]

    def most_together(self) -> int:
        """The number of links that costs least, by what they do for a block in the middle."""
        links = self.links
        at = tuple(n // 2 for n in next(iter(self.grids.values())).blocks)
        work = _BlockWork(self, links, at)
        home = [self._home(link, at) for link in links]
        done = {id(step.link): step for step in work.steps}
        nodes = self.costs.nodes()
        took = [self._seconds_of(done[id(n)], nodes.pace) if id(n) in done else 0.0 for n in links]
        more = [done[id(n)].points / max(1, h) if id(n) in done else 1.0 for n, h in zip(links, home)]
        alone = [t / max(m, 1e-9) for t, m in zip(took, more)]
        period = next((n for n in range(1, len(links)) if links[n].expression is links[0].expression), len(links))
        counts: set[int] = {1, len(links), *range(period, len(links), period)}
        return min(sorted(counts), key=lambda count: self._seconds(count, alone, more[::-1], nodes))

    def _seconds_of(self, step: Step, pace: Pace) -> float:
        sizes = {**self.progress.sizes, **step.link.around}
        return pace.seconds(step.read, step.written, step.points * self.costs.operations(step.link.cut.e, sizes))

    def _home(self, link: Link, at: Coordinates) -> int:
        ranges = link.cut.ranges(link.cut.within(self.grids[link.written[0]].box(at)))
        return prod(extents(tuple(ranges.values())))

    def _seconds(self, count: int, alone: Sequence[float], more: Sequence[float], nodes: Nodes) -> float:
        """Of all links, so many at a time. alone: seconds that each takes for a block; more: how much more points it
        has if as many follow it."""
        grids = self.grids
        blocks = next(iter(grids.values())).count
        rounds = -(-blocks // nodes.slots)
        axes = sum(n > 1 for n in next(iter(grids.values())).blocks)
        own = sum(prod(g.shape) * self.versions[n].type.size_bytes for n, g in grids.items()) / blocks
        groups = -(-len(alone) // count)
        border = own * (sum(more[:count]) / count - 1) if count > 1 else own * (more[min(1, len(more) - 1)] - 1)
        waiting = (blocks * (2 + 2 * axes)) * nodes.overhead + nodes.latency + border / nodes.bandwidth
        copied = nodes.pace.seconds(own, own) if count > 1 else nodes.pace.seconds(own, own) / (2 * len(grids))
        computed = sum(a * more[n % count] if count > 1 else a for n, a in enumerate(reversed(alone)))
        return groups * (waiting + rounds * copied) + rounds * computed

    # ------------------------------------------------------------------------------------------ parts

    def plan(self, links: Sequence[Link]) -> None:
        """A part for each block, which runs these links."""
        progress = self.progress
        names = list(dict.fromkeys(n for link in links for n in link.written))
        new = {n: Version(self.grids[n], self.versions[n].type, {}) for n in names}
        for at in self.grids[names[0]].coordinates():
            work = _BlockWork(self, links, at)
            written = [n for n in names if n in work.written]
            made: tuple[Block, ...] = ()
            if written:
                made = progress.plan.add(work.mosaic(written), len(written))
            for n in names:
                if n in written:
                    new[n].blocks[at] = made[written.index(n)]
                else:
                    new[n].blocks[at] = links[0].cut.kept(progress.versions[n], new[n].grid.box(at))
        progress.versions = {**progress.versions, **new}


@dataclass
class _BlockWork:
    """What some links do for one block of their results. steps: in their order; extent: of each array that they read or
    write, what they read or write of it; needs: what of that they need in the beginning."""

    chain: Chain
    links: Sequence[Link]
    at: Coordinates

    def __post_init__(self) -> None:
        self.needs: dict[str, Need] = {}
        for link in self.links:
            for name in link.written:
                self.needs[name] = Need((self.chain.grids[name].box(self.at),))
        self.extent = {name: need.box for name, need in self.needs.items()}
        self.steps: list[Step] = []
        for link in reversed(self.links):
            self._back(link)
        self.steps.reverse()
        self.written = {name for step in self.steps for name in step.link.written}

    def _back(self, link: Link) -> None:
        """What is needed before a link, of what is needed after it."""
        cut = link.cut
        boxes = [self.needs[n].box for n in link.written if n in self.needs]
        if not boxes:
            return
        wanted = boxes[0]
        for box in boxes[1:]:
            wanted = hull(wanted, box)
        ranges = cut.ranges(cut.within(wanted))
        if is_empty({n: r for n, r in ranges.items() if n in cut.e.remaining}) or not cut.may_write(ranges):
            return
        region = tuple(s for s in (image(i, ranges, cut.sizes) for i in cut.access.index) if s is not None)
        box = self._place(link, region)
        builder = PartBuilder(cut.e, ranges, cut.sizes, lambda n: self.chain.versions[n].grid.shape)
        outputs = [Output(cut.e.buffer(n), box, "given") for n in link.written]
        part = builder.part(self.chain.progress.program, outputs)
        covered = cut.covers(ranges, region)
        for name in link.written:
            need = self.needs.pop(name, None)
            left = need.without(region) if need is not None and covered else need
            if left is not None:
                self.needs[name] = left
            self.extent[name] = hull(self.extent[name], box)
        for read in part.reads:
            taken = tuple((b, e) for b, e, _ in read.slices)
            if 0 not in extents(taken):
                self.needs[read.buffer] = with_region(self.needs.get(read.buffer), taken)
                self.extent[read.buffer] = hull(self.extent.get(read.buffer, taken), taken)
        size = self._bytes((r.buffer, r.shape) for r in part.reads)
        changed = self._bytes((n, extents(region)) for n in link.written)
        points = prod(extents(tuple(ranges.values())))
        self.steps.append(Step(link, part, ranges, box, points, size, changed))

    def _bytes(self, regions: Iterable[tuple[str, tuple[int, ...]]]) -> int:
        return sum(prod(shape) * self.chain.versions[n].type.size_bytes for n, shape in regions)

    def _place(self, link: Link, region: Box) -> Box:
        """Where a link writes to, along axes that are not cut all of them: so that the memory is in one piece."""
        grid = self.chain.grids[link.written[0]]
        return tuple((0, c[-1]) if len(c) == 2 else r for r, c in zip(region, grid.cuts))

    # ------------------------------------------------------------------------------------------ the task

    def mosaic(self, results: Sequence[str]) -> Mosaic:
        """The task, for these of what the links write."""
        before = self.chain.progress.versions
        whole = {n: before[n].box(box) for n, box in self.extent.items()}
        own = [n for n, gather in whole.items() if n in self.written or len(gather.pieces) > 1]
        self.numbers = {n: number for number, n in enumerate(own)}
        arrays = tuple((extents(self.extent[n]), before[n].type) for n in own)
        kept = []
        for n in own:
            for box in self.needs[n].boxes if n in self.needs else ():
                gather = before[n].box(box)
                if not all(isinstance(p.block, Filled) and p.block.value is None for p in gather.pieces):
                    kept.append((self.numbers[n], self._local(n, box), gather))
        calls = tuple(self._call(step) for step in self.steps)
        places = tuple((self.numbers[n], self._local(n, self.chain.grids[n].box(self.at))) for n in results)
        return Mosaic(arrays, tuple(kept), calls, places)

    def _local(self, name: str, box: Box) -> Box:
        return tuple((b - first, e - first) for (b, e), (first, _) in zip(box, self.extent[name]))

    def _call(self, step: Step) -> tuple[tuple[Place, ...], ProgramCall]:
        reads = tuple(self._read(r.buffer, r.slices, r.shape) for r in step.part.reads)
        dims = tuple((n, b) for n, (b, _) in step.ranges.items())
        origin = Origin(dims, tuple(step.link.around.items()), step.part.names, step.link.cut.in_order)
        places = tuple((self.numbers[n], self._local(n, step.box)) for n in step.link.written)
        return places, ProgramCall(step.part.program, reads, (), step.part.numbers, origin)

    def _read(self, name: str, slices: Slices, shape: tuple[int, ...]) -> Gather:
        version = self.chain.progress.versions[name]
        if name not in self.numbers or 0 in shape:
            return version.gather(slices)
        source = tuple((b - first, e - first, s) for (b, e, s), (first, _) in zip(slices, self.extent[name]))
        target = tuple((0, n, 1) for n in shape)
        piece = BlockPiece(Own(self.numbers[name]), source, target, False)
        return Gather(shape, version.type, (piece,))


__all__ = ["Chain", "Link"]
