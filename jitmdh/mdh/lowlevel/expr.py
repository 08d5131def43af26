"""The low-level representation (thesis 4.3): an expression with every decision made, for one machine.

De-composition splits the iteration space level by level, the scalar phase applies `f` to each point,
re-composition combines the parts' results. Reading `parts` from left to right is the de-composition; reading it
from right to left is the re-composition, but for the levels in `split_accumulators`: those are combined after all
others of their dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.base.records import record
from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.groups import Group, groups
from jitmdh.mdh.algebra.rewrites.fission import boundary, split
from jitmdh.mdh.lowlevel import show
from jitmdh.mdh.lowlevel.layout import Layout


@record(frozen=True, slots=True)
class Part:
    """Split `dim` into parts of `size` elements (the last may be smaller) on `layer`.

    way: who takes the parts: "core" (threads at the same time; size 0: even parts, -n: n for each thread), "loop" (one
    after the other), "unroll" (one after the other, without a loop), "lane" (lanes of a vector), "block" (blocks of
    threads of a grid), "thread" (threads of such a block). early: how many elements before the first one the parts of
    blocks begin, so that what threads load begins where memory moves it; these do not exist.
    """

    layer: str
    dim: str
    size: int
    way: str
    early: int = 0

    def __str__(self) -> str:
        size, who = show.parts(self.size, self.way)
        return f"({self.layer},{self.dim}): {size}, {who}{f' from -{self.early}' if self.early else ''}"


@record(frozen=True, slots=True)
class Copy:
    """Copy what access number `access` of inp_view reads inside one part of parts[at] to `region` with `layout`.

    at -1: the whole array, before anything is split.
    """

    access: int
    at: int
    region: str
    layout: Layout


@record(frozen=True, slots=True)
class Stage:
    """Let what one part of parts[at] comes to wait in `region`, laid out as `layout` says, until the part ends.

    Then it is combined with the results of the parts before and written where it belongs. The axes of the layout are
    the dimensions that remain, in their order. at -1: the whole result, until everything is computed.
    """

    at: int
    region: str
    layout: Layout


@record(frozen=True, slots=True)
class LowLevel:
    """`expression`, split as `parts` say, outermost first.

    In a grid (ways "block" and "thread"), parts of a dimension lie inside each other by their sizes, and the order is
    that of the loops: a thread outside of larger parts has elements that are apart.

    split_accumulators: dimensions whose unrolled parts keep results of their own until all other parts have been
    combined. streaming: results are written by non-temporal stores. stages: where results wait.
    tile_layout: what a register tile comes to is combined in an L1 buffer with this layout (axes as in `Stage`);
    None: in registers. scalar_order: dimensions of unrolled parts in the order of the scalar phase, slowest first;
    empty: those that collapse first. prefetched: numbers of the inputs that are prefetched from main memory
    before their tiles begin. resident: blocks of threads that a multiprocessor is expected to hold at a
    time; 0: unknown.
    """

    expression: Expression
    parts: tuple[Part, ...]
    copies: tuple[Copy, ...] = ()
    split_accumulators: tuple[str, ...] = ()
    streaming: bool = False
    stages: tuple[Stage, ...] = ()
    tile_layout: Layout | None = None
    scalar_order: tuple[str, ...] = ()
    prefetched: frozenset[int] = frozenset()
    resident: int = 0

    @property
    def in_blocks(self) -> bool:
        """Whether blocks of threads take the parts, as on GPUs."""
        return any(part.way in ("block", "thread") for part in self.parts)

    @property
    def results_end(self) -> int:
        """Position of the first loop around which the results of one register tile stay where they are.

        Loops before it go through results (or are shared among cores); those from it on only combine into them.
        """
        return results_end(self.expression, self.parts)

    @property
    def recomposition(self) -> tuple[Part, ...]:
        """`parts` in the order in which their results are combined."""
        order = list(reversed(self.parts))
        for part in [p for p in order if p.way == "unroll" and p.dim in self.split_accumulators]:
            order.remove(part)
            last = max(n for n, p in enumerate(order) if p.dim == part.dim)
            order.insert(last + 1, part)
        return tuple(order)

    def __str__(self) -> str:
        e = self.expression
        outputs = [a.buffer for a in e.out_view]
        down = [
            (show.operator("++", p.layer, p.dim), *show.parts(p.size, p.way), self._copied(n))
            for n, p in enumerate(self.parts)
        ]
        combine = {d.name: str(c) for d, c in zip(e.md_hom.dims, e.md_hom.combine)}
        outermost = min((s.at for s in self.stages), default=len(self.parts))
        outside = self.parts[: max(0, outermost)]
        kept = [p for p in self.recomposition if p in outside and p.dim in e.remaining and p.way in ("core", "loop")]
        places = "MM, non-temporal" if self.streaming else "MM"
        rank = len(e.remaining)

        def waits(at: int) -> list[str]:
            found = [s for s in self.stages if s.at == at]
            return [show.region(", ".join(outputs), s.region, show.layout(rank, s.layout)) for s in found]

        up = []
        for p in self.recomposition:
            notes = ["split accumulators"] if p.way == "unroll" and p.dim in self.split_accumulators else []
            notes += waits(self.parts.index(p))
            if p in kept[:1]:
                notes.append(show.region(", ".join(outputs), places, ""))
            up.append((show.operator(combine[p.dim], p.layer, p.dim), ", ".join(notes)))
        before = [self._copied(-1)] if self._copied(-1) else []
        after = [*waits(-1), *([] if e.finish is None else [f"finish {e.finish.function}"])]
        scalar = str(e.md_hom.function)
        if self.scalar_order:
            scalar += f"  in the order {', '.join(self.scalar_order)}"
        if self.prefetched:
            names = dict.fromkeys(e.inp_view[n].buffer for n in sorted(self.prefetched))
            scalar += "  " + show.region(", ".join(names), "MM, prefetched", "")
        if self.tile_layout is not None:
            scalar += "  " + show.region(", ".join(outputs), "L1", show.layout(rank, self.tile_layout))
        return show.phases(e.name, before, down, scalar, up, after)

    def boundary(self) -> int | None:
        """The first group of dimensions whose results have to be complete, in memory, before those outside begin."""
        shared = [p.dim for p in self.parts if p.way == "core"]
        return boundary(groups(self.expression), shared, bool(self.stages))

    def in_two(self, at: int, names: Sequence[str]) -> tuple[LowLevel, LowLevel]:
        """The groups from `at` on, with results in arrays of these names, and those outside; see algebra.split."""
        first, second = split(self.expression, at, names)
        dims = {d.name for d in second.md_hom.dims}
        inner = replace(
            self, expression=first, split_accumulators=self._split_accumulators(first), streaming=False, stages=()
        )
        parts = sorted((p for p in self.parts if p.dim in dims), key=lambda p: _place(p, groups(second)))
        order = tuple(d for d in self.scalar_order if d in dims)
        outer = replace(
            self, expression=second, parts=tuple(parts), copies=(), split_accumulators=self._split_accumulators(second)
        )
        return inner, replace(outer, scalar_order=order, stages=())

    def _split_accumulators(self, expression: Expression) -> tuple[str, ...]:
        return tuple(d for d in self.split_accumulators if d in expression.collapsed)

    def _copied(self, at: int) -> str:
        """The copies that begin with parts of level `at`."""
        view = self.expression.inp_view
        shown = []
        for c in self.copies:
            if c.at == at:
                access = view[c.access]
                shown.append(show.region(access.buffer, c.region, show.layout(len(access.index), c.layout)))
        return ", ".join(shown)


def _place(part: Part, found: Sequence[Group]) -> int:
    """Cores are outermost, then come loops of what remains and of one group after the other, then register tiles."""
    match part.way:
        case "core":
            return -1
        case "loop":
            return next((n for n, g in enumerate(found, 1) if part.dim in g.names), 0)
    return len(found) + 1


def results_end(expression: Expression, parts: tuple[Part, ...]) -> int:
    """See `LowLevel.results_end`."""
    scans = {d.name for d, c in zip(expression.md_hom.dims, expression.md_hom.combine) if isinstance(c, PrefixSum)}
    position = 0
    for n, part in enumerate(p for p in parts if p.way in ("core", "loop")):
        if part.way == "core" or (part.dim in expression.remaining and part.dim not in scans):
            position = n + 1
    return position
