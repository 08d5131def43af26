"""How many parts an expression is cut into, and along which dimensions: what costs least on the workers that there are.

x.sum(), x in 10,000 blocks of 80 KB          one part computes 512 of them: as tasks they are 10 s of the scheduler
w = M @ v, M of 800 MB in one block           blocks of w: each worker is sent rows of M
C += A @ B, C in one block, 8 workers         k in 8 parts, whose partial results are combined as a tree

Where nobody has chosen blocks, those of results follow from this, and those of collapsed dimensions in any case. Cuts
stay those of the arrays where others do not pay for themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import ceil, inf, log2, prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.partition.grids import Box, Grid, extents, intersection
from jitmdh.mdh.partition.nodes import Costs, Nodes
from jitmdh.mdh.partition.plan import ChosenCut, Filled, Given, Version
from jitmdh.mdh.partition.planning.alignment import Cuts
from jitmdh.mdh.partition.planning.cut import ExpressionCut
from jitmdh.mdh.partition.planning.interior import is_rectangular
from jitmdh.mdh.partition.planning.phases import state_types
from jitmdh.mdh.partition.planning.trees import fan_in, neighbours, state_bytes
from jitmdh.mdh.partition.ranges import Range, image, is_empty

_SAVED, _SHARE = 5e-3, 0.75  # seconds that other cuts have to save at least, and the part of the time that is left
_ROUNDS = 4  # in which dimensions are looked at, each in turn
_SAMPLES = 4  # parts that stand for all
_PARTS_OF_A_WORKER = 4  # at most, where there are no blocks to follow
_PLANNED, _CALLED = 3e-4, 3e-5  # seconds that a block takes here, and where it is computed, besides
_LARGEST = 2**27  # bytes that a part takes, if it is not that of blocks as they are


@dataclass(frozen=True, slots=True)
class Cutting:
    """cuts: of dimensions, others than they would have; together: how many partial results of neighbours one part
    computes, 0: as many as without a choice."""

    cuts: Mapping[str, Cuts]
    together: int = 0


_AS_THEY_ARE = Cutting({})


def with_choice(cut: ExpressionCut, costs: Costs) -> ExpressionCut:
    """The expression, cut in the way that costs least. Asks for the workers only where there is something to choose."""
    e = cut.e
    if e.ragged or e.procedures or cut.scans:
        return cut
    names = [n for n in _free_dimensions(cut) if cut.whole[n][1] - cut.whole[n][0] > 1]
    if not names:
        return cut
    choice = _Choice(cut, costs.nodes(), costs.operations(e, cut.sizes), names)
    first, found, least = choice.best()
    if least > _SHARE * first or first - least < _SAVED:
        return cut
    cut.plan.choices.append(ChosenCut(e.name, choice.told(found), first, least))
    alignment = replace(cut.alignment, chosen=found.cuts)
    chosen = replace(cut, together=found.together)
    chosen.alignment = alignment
    return chosen


def _free_dimensions(cut: ExpressionCut) -> Iterator[str]:
    """The dimensions whose cuts are nobody's choice."""
    yield from cut.collapsed_axes()
    name = cut.access.buffer
    if name in cut.progress.free and cut.after[name].grid.count == 1:
        found = [cut.alignment.dimension(i) for i in cut.access.index]
        yield from (n for n in found if n is not None and n not in cut.e.scattered)


@dataclass
class _Choice:
    """Of one expression, as it would be cut. operations: at each point; names: of the dimensions that may be cut
    otherwise."""

    cut: ExpressionCut
    nodes: Nodes
    operations: float
    names: Sequence[str]

    def __post_init__(self) -> None:
        self.collapsed = self.cut.collapsed_axes()
        self.kept = {n: self.cut.alignment.cuts(n) for n in self.names}

    def best(self) -> tuple[float, Cutting, float]:
        """The seconds of the cuts that there are, what is best, and its seconds."""
        first = least = self.seconds(_AS_THEY_ARE)
        found = _AS_THEY_ARE
        for _ in range(_ROUNDS if first > _SAVED else 0):
            before = least
            for candidate in self._beside(found):
                if (seconds := self.seconds(candidate)) < least:
                    found, least = candidate, seconds
            if least >= before:
                break
        return first, found, least

    def _beside(self, now: Cutting) -> Iterator[Cutting]:
        """Cuttings that differ in one dimension, or in how many partial results are together."""
        most = _PARTS_OF_A_WORKER * self.nodes.workers if self.nodes.workers > 1 else 1
        for name in self.names:
            kept = self.kept[name]
            for cuts in (kept, *_merged(kept), *_finer(self.cut.whole[name], kept, most)):
                yield Cutting({**now.cuts, name: cuts}, now.together)
        if cut := [n for n in self.collapsed if n in self.kept]:
            blocks = prod(len(now.cuts.get(n, self.kept[n])) + 1 for n in cut)
            counts = {ceil(blocks / 2**n) for n in range(ceil(log2(blocks)) + 1)}
            yield from (Cutting(now.cuts, count) for count in sorted(counts))

    def told(self, found: Cutting) -> str:
        """For people: what is cut otherwise."""
        pairs = [(n, c, self.kept[n]) for n, c in found.cuts.items()]
        said = [f"`{n}` in {len(cuts) + 1:,} instead of {len(kept) + 1:,}" for n, cuts, kept in pairs if cuts != kept]
        if found.together == 1:
            said.append("each partial result computed by a part of its own")
        if found.together > 1:
            said.append(f"up to {found.together:,} partial results computed by one part")
        return ", ".join(said)

    # ------------------------------------------------------------------------------------------ what it takes

    def seconds(self, cutting: Cutting) -> float:
        """Of all parts, by what some of them do. Scheduling, sending and computing go on at the same time, but for the
        first part of each worker. All threads of a worker compute a part, if it has no others."""
        nodes, parts = self.nodes, _Parts(self, cutting)
        if parts.taken > _LARGEST and cutting != _AS_THEY_ARE:
            return inf
        rounds = ceil(parts.tasks / nodes.workers)
        computed = rounds * parts.seconds / nodes.threads
        sent = parts.sent / (nodes.workers * nodes.bandwidth) + parts.transfers / nodes.slots * nodes.latency
        combining, combined = self._combined(parts)
        scheduled = (parts.tasks + combining) * nodes.overhead + parts.results * parts.blocks * _PLANNED
        *others, longest = sorted((computed, sent, scheduled))
        return longest + sum(others) / rounds + combined

    def _combined(self, parts: _Parts) -> tuple[int, float]:
        """Tasks of the trees that combine the partial results of each block, and their seconds."""
        scattered = bool(self.cut.e.scattered)
        count = ceil(parts.blocks / parts.together) + scattered
        if parts.blocks < 2 and not scattered:
            return 0, 0.0
        nodes, size, fan = self.nodes, parts.state, fan_in(parts.state)
        levels = ceil(log2(count) / log2(fan)) if count > 1 else 0
        each = (fan - 1) * (nodes.pace.seconds(2 * size, size) + size / nodes.bandwidth) + nodes.latency
        rounds = ceil(parts.results / nodes.workers) / nodes.threads
        tasks = parts.results * (ceil((count - 1) / (fan - 1)) + 1)
        within = (parts.together - 1) * nodes.pace.seconds(2 * size, size) * ceil(parts.tasks / nodes.workers)
        return tasks, rounds * (levels * each + nodes.pace.seconds(size, size)) + within / nodes.threads


class _Parts:
    """What parts do, by a few of them.

    results: blocks of the result; blocks: of collapsed dimensions, for each of these; together: so many of them are
    computed by one part; tasks: parts; taken: bytes that one of them takes; seconds: of one of them; sent: bytes, and
    transfers, of all; state: bytes of a partial result.
    """

    def __init__(self, choice: _Choice, cutting: Cutting) -> None:
        self.choice, self.cut, self.nodes = choice, choice.cut, choice.nodes
        cut = self.cut
        self.alignment = replace(cut.alignment, chosen=cutting.cuts)
        chosen = replace(cut)
        chosen.alignment = self.alignment
        self.grid, self.counts = chosen.grid(), chosen.counts()
        inner = [self._intervals(n) for n in choice.collapsed]
        self.results, self.blocks = self.grid.count, prod(map(len, inner))
        self.inner = list(product(*inner))
        self.sent = self.transfers = self.seconds = self.state = 0.0
        self._look(cutting.together)

    def _intervals(self, name: str) -> list[tuple[str, Range]]:
        begin, end = self.cut.whole[name]
        ends = [begin, *(c for c in self.alignment.cuts(name) if begin < c < end), end]
        return [(name, r) for r in pairwise(ends)]

    def _look(self, together: int) -> None:
        middle = self._ranges(self.results // 2, self.blocks // 2)
        if self.cut.e.scattered:
            self.state = prod(extents(self.grid.box(self.grid.at(self.results // 2)))) * self._result_bytes()
        elif self.blocks > 1 and not is_empty(middle):
            self.state = state_bytes(state_types(self.cut.e), tuple(middle[n] for n in self.cut.e.remaining))
        taken = sum(prod(extents(box)) * self._element(b) for b, box in self._read(middle).items())
        self.together = min(together or neighbours(self.results, self.state, taken), self.blocks)
        self.taken = self.together * taken
        each = ceil(self.blocks / self.together)
        self.tasks = self.results * each
        sampled = sorted({n * (self.tasks - 1) // (_SAMPLES - 1) for n in range(_SAMPLES)})
        for task in sampled:
            first = task % each * self.together
            last = min(first + self.together, self.blocks) - 1
            own = [self._ranges(task // each, n) for n in dict.fromkeys((first, last))]
            where = task * self.nodes.workers // self.tasks
            for ranges in own:
                if not is_empty(ranges):
                    self._add(ranges, where, (last - first + 1) / len(own), len(sampled))

    def _ranges(self, result: int, block: int) -> dict[str, Range]:
        cut = self.cut
        ranges = cut.ranges(cut.within(self.grid.box(self.grid.at(result))))
        return cut.without_idle({**ranges, **dict(self.inner[block])})

    def _add(self, ranges: Mapping[str, Range], where: int, times: float, samples: int) -> None:
        """A block that a part on worker `where` computes, with so many like it, of so many parts that are looked at."""
        pace, workers = self.nodes.pace, self.nodes.workers
        read = copied = 0.0
        for buffer, box in self._read(ranges).items():
            version, size = self.cut.before[buffer], prod(extents(box)) * self._element(buffer)
            read += size
            repeated = self._repeated(buffer)
            pieces = prod(map(len, version.grid.places(box)))
            if pieces > 1 and not self._in_place(version.grid, box, ranges):
                copied += size / (1 if repeated < self.tasks else self.tasks)
            away = self._away(buffer, version, box, where)
            alike = self.tasks / samples * times * min(repeated, workers) / repeated
            self.sent += alike * away * size
            self.transfers += alike * away * min(pieces, workers)
        written = self.state or prod(ranges[n][1] - ranges[n][0] for n in self.cut.e.remaining) * self._result_bytes()
        points = prod(end - begin for begin, end in ranges.values())
        done = pace.seconds(read, written, points * self.choice.operations) + pace.seconds(copied, copied) + _CALLED
        self.seconds += times * done / samples

    def _read(self, ranges: Mapping[str, Range]) -> dict[str, Box]:
        """The elements of each array that these points read."""
        e = self.cut.e
        apart = self.blocks > 1 and e.finish is not None  # what comes after partial results is no part's of these
        reads = [a for a in e.reads if a not in e.finish.inp_view] if apart and e.finish is not None else e.reads
        return {} if is_empty(ranges) else boxes_read(self.cut, reads, ranges)

    def _repeated(self, buffer: str) -> float:
        """How many parts read the same of an array."""
        names = {n for a in self.cut.e.reads if a.buffer == buffer for i in a.index for n in i.names}
        return max(1.0, self.tasks / prod(self.counts[n] for n in self.counts if n in names))

    def _in_place(self, grid: Grid, box: Box, ranges: Mapping[str, Range]) -> bool:
        """Whether most of the box is in one block, on which most of the part is computed without a copy."""
        if self.blocks > 1 or not is_rectangular(self.cut.e, ranges, self.cut.sizes):
            return False
        centre = tuple(((b + e) // 2, (b + e) // 2 + 1) for b, e in box)
        own = grid.box(tuple(p[0] for p in grid.places(centre)))
        return all(2 * n >= m for n, m in zip(extents(intersection(own, box)), extents(box)))

    def _away(self, buffer: str, version: Version, box: Box, where: int) -> float:
        """The share of the box that does not lie on a worker. Blocks begin evenly spread in their order; what is in
        this process is on none."""
        grid, workers = version.grid, self.nodes.workers
        corners = list(product(*({p[0], p[-1]} for p in grid.places(box))))
        blocks = [version.blocks[at] for at in corners]
        if all(isinstance(b, Filled) for b in blocks):
            return 0.0
        if buffer in self.cut.progress.free and any(isinstance(b, Given) for b in blocks):
            return 1.0
        return sum(grid.number(at) * workers // grid.count != where for at in corners) / len(corners)

    def _element(self, buffer: str) -> int:
        return self.cut.before[buffer].type.size_bytes

    def _result_bytes(self) -> int:
        return sum(self.cut.after[a.buffer].type.size_bytes for a in self.cut.e.out_view)


def boxes_read(cut: ExpressionCut, reads: Sequence[Access], ranges: Mapping[str, Range]) -> dict[str, Box]:
    """A box around what these points read of each array by these accesses; all of it along axes where data decide."""
    found: dict[str, Box] = {}
    for access in reads:
        version = cut.before.get(access.buffer)
        if version is None:
            continue
        whole = tuple((0, n) for n in version.grid.shape)
        spans = tuple(image(i, ranges, cut.sizes) or w for i, w in zip(access.index, whole))
        box = intersection(spans, whole)
        if 0 in extents(box):
            continue
        known = found.get(access.buffer, box)
        found[access.buffer] = tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(known, box))
    return found


# ------------------------------------------------------------------------------------------------ cuts


def _merged(kept: Cuts) -> Iterator[Cuts]:
    """Fewer blocks, of neighbours."""
    count = 1
    while count < len(kept) + 1:
        yield tuple(kept[n * (len(kept) + 1) // count - 1] for n in range(1, count))
        count *= 2


def _finer(whole: Range, kept: Cuts, most: int) -> Iterator[Cuts]:
    """More blocks, each of those cut evenly; at most so many in all."""
    ends = [whole[0], *kept, whole[1]]
    share = 2
    while share * (len(kept) + 1) <= most:
        cuts = {b + (e - b) * n // share for b, e in pairwise(ends) for n in range(share)}
        yield tuple(sorted(c for c in cuts if whole[0] < c < whole[1]))
        share *= 2
