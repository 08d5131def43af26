"""One expression, cut into parts.

Each block of a result is computed where all that it needs is brought to ("owner computes"): index functions say which
dimensions' points write to it, and which elements those read. Collapsed dimensions are cut where the inputs are, their
partial results combined as a tree by the expression's own operator; prefix sums are carried from block to block;
scatters go to copies that are combined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise, product
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import PrefixSum, Scatter
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.partition.grids import Box, Coordinates, Grid, extents
from jitmdh.mdh.partition.part import Output, PartBuilder, PartWindow, Region
from jitmdh.mdh.partition.plan import (
    Block,
    Combine,
    Copy,
    Filled,
    Indivisible,
    Mosaic,
    Origin,
    Plan,
    ProgramCall,
    Version,
    Window,
)
from jitmdh.mdh.partition.planning.alignment import Alignment, single
from jitmdh.mdh.partition.planning.in_turn import one_part, taking_in
from jitmdh.mdh.partition.planning.interior import around, is_rectangular, tiles
from jitmdh.mdh.partition.planning.phases import (
    CARRY,
    STATE,
    combination,
    completion,
    continuation,
    own_guard,
    partial,
    state_types,
    total,
)
from jitmdh.mdh.partition.planning.trees import computed_together, folded, tree
from jitmdh.mdh.partition.ranges import Range, Sizes, image, is_empty, tightened

_WORTH_PIECING = 2**20  # bytes that a part would copy; less is copied sooner than the code for its borders is there
_LEAST_SHARE = 0.2  # of a block that a step of a sequential loop writes; each step makes new blocks


@dataclass
class Progress:
    """How far planning is. versions: the content of each buffer so far; free: those whose blocks nobody has chosen;
    around: the iterations of loops in order so far, which `sizes` has, too."""

    program: Program
    sizes: dict[str, int]
    plan: Plan
    versions: dict[str, Version]
    free: set[str]
    around: dict[str, int] = field(default_factory=dict)

    def at(self, around: Mapping[str, int]) -> None:
        """Goes on in these iterations of loops in order."""
        self.around = dict(around)
        self.sizes.update(around)


def whole_ranges(e: Expression, sizes: Sizes) -> dict[str, Range] | None:
    """Those of all dimensions but ragged ones; None where the expression has no points that write."""
    ragged = {d.name for d in e.ragged}
    whole = {d.name: (0, d.extent.evaluate(sizes)) for d in e.md_hom.dims if d.name not in ragged}
    return None if any(end <= 0 for name, (_, end) in whole.items() if name in e.remaining) else whole


@dataclass
class ExpressionCut:
    """One expression, all of whose results are at the same place, cut into parts.

    whole: the ranges of its dimensions; before: what it reads; after: what it writes to. in_order: whether its
    dimensions count as those of the program do. together: partial results of neighbours that one part computes, see
    `trees.folded`.
    """

    progress: Progress
    e: Expression
    whole: dict[str, Range]
    before: dict[str, Version]
    after: dict[str, Version]
    in_order: bool
    together: int = 0

    def __post_init__(self) -> None:
        self.sizes = dict(self.progress.sizes)
        self.plan = self.progress.plan
        self.alignment = Alignment(self.e, self.whole, self.before, self.sizes)
        self.groups = groups(self.e)
        self.scans = {d.name for d, c in zip(self.e.md_hom.dims, self.e.md_hom.combine) if isinstance(c, PrefixSum)}
        self.access = self.e.out_view[0]
        self.scan: tuple[str, int, int] | None = None
        self.carries: dict[object, list[tuple[Block, ...] | None]] = {}

    # ------------------------------------------------------------------------------------------ blocks of results

    def grid(self) -> Grid:
        """The blocks of the results."""
        name = self.access.buffer
        return self.alignment.results(self.access, self.after[name].grid, name in self.progress.free)

    def counts(self) -> dict[str, int]:
        """Into how many parts each dimension is cut, but for those that are in one piece for sure."""
        found = {n: len(self.alignment.cuts(n)) + 1 for n in self.collapsed_axes()}
        for index, blocks in zip(self.access.index, self.grid().blocks):
            found |= {n: max(blocks, found.get(n, 1)) for n in index.names if n in self.whole}
        return found

    def run(self) -> None:
        names = [a.buffer for a in self.e.out_view]
        if len(set(names)) < len(names):
            raise Indivisible("two results go to the same element", self.e.loc)
        grid = self.grid()
        old = {name: self.after[name] for name in names}
        new = {name: Version(grid, old[name].type, {}) for name in names}
        self.scan = _scan_axis(self, grid)
        for at in grid.coordinates():
            box = grid.box(at)
            made = self._block(box, at, grid, old)
            for n, name in enumerate(names):
                new[name].blocks[at] = self.kept(old[name], box) if made is None else made[n]
        self.after |= new

    def kept(self, old: Version, box: Box) -> Block:
        """The old content of a block, as a block."""
        gather = old.box(box)
        if (block := gather.whole) is not None:
            return block
        if len(gather.pieces) == 1 and isinstance(filled := gather.pieces[0].block, Filled):
            return replace(filled, shape=gather.shape)
        return self.plan.add(Copy(gather), 1)[0]

    # ------------------------------------------------------------------------------------------ one block

    def _block(self, box: Box, at: Coordinates, grid: Grid, old: Mapping[str, Version]) -> tuple[Block, ...] | None:
        """The results in `box` after the expression; None where it writes nothing there."""
        within = self.within(box)
        ranges = self.ranges(within)
        if is_empty({n: r for n, r in ranges.items() if n in self.e.remaining}) or not self.may_write(ranges):
            return None
        spans = [image(i, ranges, self.sizes) for i in self.access.index]
        loose = [n for n, (s, (b, e)) in enumerate(zip(spans, box)) if s is not None and not (b <= s[0] and s[1] <= e)]
        guard = tuple(g for n in loose for g in within[2 * n : 2 * n + 2])
        e = replace(self.e, out_view=tuple(replace(a, guard=(*a.guard, *guard)) for a in self.e.out_view))
        self._require_share(ranges, box, e)
        covered = not guard and self.covers(ranges, box)
        if not covered and not box:
            raise Indivisible("data decide whether a number is written", e.loc)
        if self.scan is not None and grid.blocks[self.scan[1]] > 1:
            return self._scanned(e, ranges, box, at, grid, old, covered)
        blocks = list(self._collapsed_blocks(ranges))
        if len(blocks) < 2:
            chosen = {**ranges, **(blocks[0] if blocks else {})}
            return self._call(e, chosen, box, old, covered)
        if self.e.scattered:
            return self._scattered(e, ranges, blocks, box, grid, old)
        operator = state_types(e)
        calls = [self._partial(partial(e), {**ranges, **block}) for block in blocks]
        partials = tuple(ranges[n] for n in e.remaining)
        count = computed_together(calls, operator, partials, grid.count, self.together)
        if count >= len(blocks) and (made := _in_turn(self, e, ranges, blocks, box, old, covered)) is not None:
            return self.plan.add(made, len(e.out_view))
        parts = folded(self.plan, self.progress.program.name, calls, operator, partials, grid.count, self.together)
        state = tree(self.plan, self.progress.program.name, parts, operator, partials)
        done = completion(e)
        return self._call(done, {n: r for n, r in ranges.items() if n in e.remaining}, box, old, covered, state)

    def within(self, box: Box) -> list[Affine]:
        """The conditions, ≥ 0, under which results are in `box`: two for each axis."""
        return [g for i, (b, e) in zip(self.access.index, box) for g in (i - b, -i + (e - 1))]

    def may_write(self, ranges: Mapping[str, Range]) -> bool:
        """Whether some of these points may write something; they are not empty."""
        conditions = (image(g, ranges, self.sizes) for g in (*self.access.guard, *own_guard(self.e)))
        return not any(span is not None and span[1] <= 0 for span in conditions)

    def ranges(self, within: Sequence[Affine]) -> dict[str, Range]:
        """The dimensions' ranges for results within these conditions. Prefix sums need all before, so they are not
        cut, but for the one that is carried on."""
        e = self.e
        remaining = {n: r for n, r in self.whole.items() if n in e.remaining}
        conditions = [*within, *self.access.guard, *(() if self.scan is not None else own_guard(e))]
        cut = tightened(remaining, conditions, self.sizes)
        kept = self.scans - ({self.scan[0]} if self.scan is not None else set())
        ranges = {**self.whole, **{n: r for n, r in cut.items() if n not in kept}}
        if is_empty({n: r for n, r in ranges.items() if n in e.remaining}):
            return ranges
        return self.without_idle(ranges)

    def without_idle(self, ranges: dict[str, Range]) -> dict[str, Range]:
        """Collapsed dimensions without points that contribute nothing."""
        inner = tightened(ranges, self.e.guard, self.sizes)
        return {n: inner[n] if n in self.e.collapsed else r for n, r in ranges.items()}

    def covers(self, ranges: Mapping[str, Range], box: Box) -> bool:
        """Whether each element of `box` is written."""
        conditions = (image(g, ranges, self.sizes) for g in (*self.access.guard, *own_guard(self.e)))
        if any(span is None or span[0] < 0 for span in conditions) or self.e.scattered or self.e.ragged:
            return False
        left = {n for n in self.e.remaining}
        for index, (begin, end) in zip(self.access.index, box):
            found = single(index, self.whole, self.sizes)
            if found is None:
                if end - begin != 1 or image(index, ranges, self.sizes) is None:
                    return False
                continue
            name, coefficient = found
            if abs(coefficient) != 1 or name not in left or ranges[name][1] - ranges[name][0] != end - begin:
                return False
            left.discard(name)
        return not left

    def _require_share(self, ranges: Mapping[str, Range], box: Box, e: Expression) -> None:
        """A step in time that writes a row of a block would copy the rest of it each time."""
        written = prod(max(0, end - begin) for n, (begin, end) in ranges.items() if n in e.remaining)
        if self.progress.around and not e.scattered and written < _LEAST_SHARE * prod(extents(box)):
            reason = f"each step of a loop in order writes a small part of `{self.access.buffer}`"
            raise Indivisible(reason, e.loc)

    def collapsed_axes(self) -> list[str]:
        """The dimensions without an axis of the result, or whose points are scattered, that parts can be cut along."""
        if self.e.scattered:
            return [n for n in self.e.scattered if n in self.whole]
        if not self.groups or self.groups[0].scan:
            return []
        axes = [n for n in self.groups[0].names if n in self.whole]
        if self.groups[0].operator.commutative:
            return axes
        return axes[:1] if axes and axes[0] == self.groups[0].names[0] else []

    def _collapsed_blocks(self, ranges: Mapping[str, Range]) -> Iterator[dict[str, Range]]:
        """The blocks of the dimensions that parts can be cut along, those without points left out."""
        axes = self.collapsed_axes()
        cuts = []
        for name in axes:
            begin, end = ranges[name]
            ends = [begin, *(c for c in self.alignment.cuts(name) if begin < c < end), end]
            cuts.append([(name, (b, e)) for b, e in pairwise(ends)])
        for choice in product(*cuts):
            block = self.without_idle({**ranges, **dict(choice)})
            if not is_empty({n: block[n] for n in axes}):
                yield {n: r for n, r in block.items() if n in axes or n in self.e.collapsed}

    # ------------------------------------------------------------------------------------------ parts

    def _call(
        self, e: Expression, ranges: dict[str, Range], box: Box, old: Mapping[str, Version], covered: bool,
        state: tuple[Block, ...] = (), prefix: str = STATE,
    ) -> tuple[Block, ...]:  # fmt: skip
        """One part that writes to `box`."""
        outputs = [Output(e.buffer(a.buffer), box, None if covered else "given") for a in e.out_view]
        local = {f"{prefix}{n}": block for n, block in enumerate(state)}
        call = self.made(e, ranges, outputs, old, local)
        pieced = None if state or self.scans else _mosaic(self, e, ranges, box, old, call)
        size = prod(extents(box)) * sum(o.buffer.type.size_bytes for o in outputs)
        if box and pieced is None and not call.windows and size >= _WORTH_PIECING:
            pieced = _in_place(self.made(e, ranges, [replace(o, initial="given") for o in outputs], old, local), box)
            if covered:
                pieced = replace(pieced, kept=())
        return self.plan.add(pieced or call, len(outputs))

    def _partial(self, e: Expression, ranges: dict[str, Range]) -> ProgramCall:
        """One part that leaves a partial result."""
        box = tuple(ranges[n] for n in e.remaining)
        initial = [None] * len(e.out_view) if not own_guard(e) else [zero(e.buffer(a.buffer).type) for a in e.out_view]
        outputs = [Output(e.buffer(a.buffer), box, i) for a, i in zip(e.out_view, initial)]
        return self.made(e, ranges, outputs, {}, {})

    def made(
        self, e: Expression, ranges: dict[str, Range], outputs: Sequence[Output], old: Mapping[str, Version],
        local: Mapping[str, Block],
    ) -> ProgramCall:  # fmt: skip
        before = {**old, **self.before}
        builder = PartBuilder(e, ranges, self.sizes, lambda n: before[n].grid.shape, frozenset(local))
        part = builder.part(self.progress.program, outputs)
        reads = []
        for region in part.reads:
            if region.buffer in local:
                type = e.buffer(region.buffer).type
                slices = tuple((0, n, 1) for n in region.shape)
                block = local[region.buffer]
                version = Version(Grid.whole(region.shape), type, {(0,) * len(region.shape): block})
                reads.append(version.gather(slices))
            else:
                reads.append(before[region.buffer].gather(region.slices))
        boxes = {o.buffer.name: o.box for o in outputs}
        given = tuple(old[name].box(boxes[name]) for name in part.given)
        around = tuple(self.progress.around.items())
        origin = Origin(tuple((n, b) for n, (b, _) in ranges.items()), around, part.names, self.in_order)
        windows = tuple(_window(w, self.before) for w in part.windows)
        self._note([r for n, r in enumerate(part.reads) if n not in {w.read for w in windows}], e)
        return ProgramCall(part.program, tuple(reads), given, part.numbers, origin, windows)

    def _note(self, regions: Sequence[Region], e: Expression) -> None:
        """What is moved because data decide where it is read."""
        indirect = {n.name for n in e.indirect}
        chosen = {a.buffer for a in e.reads if any(indirect.intersection(i.names) for i in a.index)}
        for region in regions:
            version = self.progress.versions.get(region.buffer)
            if region.buffer in chosen and version is not None and version.grid.count > 1:
                found = self.plan.whole_reads.get(region.buffer, 0)
                self.plan.whole_reads[region.buffer] = found + prod(region.shape) * version.type.size_bytes

    # ------------------------------------------------------------------------------------------ prefix sums

    def _scanned(
        self, e: Expression, ranges: dict[str, Range], box: Box, at: Coordinates, grid: Grid,
        old: Mapping[str, Version], covered: bool,
    ) -> tuple[Block, ...]:  # fmt: skip
        assert self.scan is not None
        name, axis, direction = self.scan
        beside = (*at[:axis], *at[axis + 1 :])
        if beside not in self.carries:
            self.carries[beside] = self._carries(e, at, grid)
        number = at[axis] if direction > 0 else grid.blocks[axis] - 1 - at[axis]
        carry = self.carries[beside][number]
        if carry is None:
            return self._call(e, ranges, box, old, covered)
        scanned = [d.name for d in e.md_hom.dims].index(name)
        return self._call(continuation(e, scanned), ranges, box, old, covered, carry, CARRY)

    def _carries(self, e: Expression, at: Coordinates, grid: Grid) -> list[tuple[Block, ...] | None]:
        """What all blocks before each one come to, for the blocks beside `at` along the prefix sum."""
        assert self.scan is not None
        name, axis, direction = self.scan
        scanned = [d.name for d in e.md_hom.dims].index(name)
        summed = total(e, scanned)
        program = combination(self.progress.program.name, state_types(e), len(summed.remaining))
        carry: tuple[Block, ...] | None = None
        found: list[tuple[Block, ...] | None] = []
        for block in range(grid.blocks[axis])[::direction]:
            found.append(carry)
            box = grid.box((*at[:axis], block, *at[axis + 1 :]))
            ranges = self.ranges(self.within(box))
            if is_empty({n: r for n, r in ranges.items() if n in e.remaining}) or len(found) == grid.blocks[axis]:
                continue
            part = self.plan.add(self._partial(summed, ranges), len(summed.out_view))
            carry = part if carry is None else self.plan.add(Combine(program, (carry, part)), len(part))
        return found

    # ------------------------------------------------------------------------------------------ scatters

    def _scattered(
        self, e: Expression, ranges: dict[str, Range], blocks: Sequence[dict[str, Range]], box: Box, grid: Grid,
        old: Mapping[str, Version],
    ) -> tuple[Block, ...]:  # fmt: skip
        """Each part has a copy of the block of its own; the copies are combined with what it held."""
        operators = [c.operator for c in e.md_hom.combine if isinstance(c, Scatter)]
        operator = operators[0]
        if len(e.out_view) != operator.arity or operator.identity is None:
            raise Indivisible("points are scattered to several arrays", e.loc)
        outputs = [Output(e.buffer(a.buffer), box, i) for a, i in zip(e.out_view, operator.identity)]
        calls = [self.made(e, {**ranges, **b}, outputs, old, {}) for b in blocks]
        name = self.progress.program.name
        parts = folded(self.plan, name, calls, operator, box, grid.count, self.together)
        held = tuple(self.kept(old[a.buffer], box) for a in e.out_view)
        return tree(self.plan, name, [held, *parts], operator, box)


def _in_turn(
    cut: ExpressionCut, e: Expression, ranges: dict[str, Range], blocks: Sequence[dict[str, Range]], box: Box,
    old: Mapping[str, Version], covered: bool,
) -> Mosaic | None:  # fmt: skip
    """One part that takes in these blocks of collapsed dimensions one after the other; None where there is no such way,
    or it saves little."""
    after = taking_in(e, state_types(e))
    outputs = [Output(e.buffer(a.buffer), box, "given") for a in e.out_view]
    size = prod(extents(box)) * sum(o.buffer.type.size_bytes for o in outputs)
    if after is None or not box or size < _WORTH_PIECING:
        return None
    calls = [cut.made(x, {**ranges, **b}, outputs, old, {}) for x, b in zip([e] + [after] * len(blocks), blocks)]
    return one_part(calls[0], calls[1:], box, e.finish is not None or not covered)


def _scan_axis(cut: ExpressionCut, grid: Grid) -> tuple[str, int, int] | None:
    """The dimension of the prefix sum that is carried from block to block, the axis it is, and its direction."""
    if not cut.groups or not cut.groups[0].scan or cut.e.ragged or cut.e.indirect:
        return None
    (name,) = cut.groups[0].names
    axes = [a for a, i in enumerate(cut.access.index) if name in i.names]
    found = single(cut.access.index[axes[0]], cut.whole, cut.sizes) if len(axes) == 1 else None
    if found is None or grid.blocks[axes[0]] < 2:
        return None
    return name, axes[0], 1 if found[1] > 0 else -1


def _window(w: PartWindow, before: Mapping[str, Version]) -> Window:
    sources = tuple((name, before[region.buffer].gather(region.slices)) for name, region in w.sources)
    return Window(w.read, w.axis, w.number, w.span, sources)


def _in_place(call: ProgramCall, box: Box) -> Mosaic:
    """What a call does that updates copies, on memory that the worker has already."""
    whole = tuple((0, n) for n in extents(box))
    places = tuple((n, whole) for n in range(len(call.given)))
    arrays = tuple((given.shape, given.type) for given in call.given)
    kept = tuple((n, whole, given) for n, given in enumerate(call.given))
    return Mosaic(arrays, kept, ((places, replace(call, given=())),), places)


def _mosaic(
    cut: ExpressionCut, e: Expression, ranges: dict[str, Range], box: Box, old: Mapping[str, Version], call: ProgramCall
) -> Mosaic | None:
    """What `call` does, which writes to `box`, without copies of what is in memory already; None: not worth it."""
    copied = sum(g.bytes for g in call.reads if len(g.pieces) > 1) + sum(g.bytes for g in call.given)
    if copied < _WORTH_PIECING or not is_rectangular(e, ranges, cut.sizes):
        return None

    def written(own: Mapping[str, Range]) -> Box:
        spans = [image(index, own, cut.sizes) for index in e.out_view[0].index]
        return tuple(s for s in spans if s is not None)

    def within(region: Box) -> Box:
        return tuple((b - first, end - first) for (b, end), (first, _) in zip(region, box))

    left, calls = list(around(written(ranges), box)), []
    for own in tiles(e, ranges, cut.before, cut.sizes):
        region = written(own)
        if not cut.covers(own, region):
            left.append(region)
        made = cut.made(e, own, [Output(e.buffer(a.buffer), region, "given") for a in e.out_view], old, {})
        calls.append((tuple((n, within(region)) for n in range(len(e.out_view))), replace(made, given=())))
    names = [a.buffer for a in e.out_view]
    kept = tuple((n, within(region), old[name].box(region)) for region in left for n, name in enumerate(names))
    whole = within(box)
    arrays = tuple((extents(box), old[name].type) for name in names)
    return Mosaic(arrays, kept, tuple(calls), tuple((n, whole) for n in range(len(names))))
