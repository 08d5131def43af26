"""Is a low-level representation well-formed? What its docstring and that of `lowering.lower` promise, as one checker.

A failure is a bug of whoever made the representation: an InternalError that states the facts.
"""

from __future__ import annotations

from itertools import pairwise

from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.check_scalar import Complaint, require
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part, Stage
from jitmdh.mdh.lowlevel.layout import flaw

WAYS = ("core", "loop", "unroll", "lane", "block", "thread")


def check(low: LowLevel) -> None:
    """InternalError unless `low` and its expression are well-formed."""
    check_expression(low.expression)
    try:
        _check_parts(low)
        for dim in low.expression.md_hom.dims:
            _check_dimension(low, dim.name)
        _check_operators(low)
        for copy in low.copies:
            _check_copy(low, copy)
        _check_split_accumulators(low)
        for stage in low.stages:
            _check_stage(low, stage)
        _check_scalar_phase(low)
    except Complaint as complaint:
        raise InternalError(f"low-level {low.expression.name}: {complaint}", loc=low.expression.loc) from None


def _check_parts(low: LowLevel) -> None:
    dims = {d.name for d in low.expression.md_hom.dims}
    for part in low.parts:
        require(part.dim in dims, f"{_shown(part)} splits no dimension of the expression")
        require(part.way in WAYS, f"{_shown(part)}: no way to take parts: {part.way}")
        even = part.way == "core" and part.size <= 0
        require(part.size > 0 or even, f"{_shown(part)} has parts of {part.size}")
        outermost = part.size == max(p.size for p in low.parts if p.dim == part.dim)
        early = not part.early or (part.way == "block" and outermost and 0 < part.early < part.size)
        require(early, f"{_shown(part)} begins {part.early} elements early")
    twice = {_shown(a) for n, a in enumerate(low.parts) for b in low.parts[:n] if (a.layer, a.dim) == (b.layer, b.dim)}
    require(not twice, f"a dimension is split twice on a layer: {', '.join(sorted(twice))}")
    inner = [p.way in ("unroll", "lane") for p in low.parts]
    require(inner == sorted(inner), "a loop is inside parts of a register tile")
    require(sum(p.way == "lane" for p in low.parts) <= 1, "lanes of more than one dimension")


def _check_dimension(low: LowLevel, dim: str) -> None:
    """Parts of one dimension lie inside each other, and the innermost are single points."""
    parts = [p for p in low.parts if p.dim == dim]
    if low.in_blocks:
        sizes = sorted((p.size for p in parts), reverse=True)
        require(all(a > b and a % b == 0 for a, b in pairwise(sizes)), f"{dim} has parts of {sizes} inside each other")
        require(sizes[-1:] == [1], f"{dim} has parts of {sizes}, not of points")
        return
    loops = [p for p in parts if p.way in ("core", "loop")]
    tiles = [p for p in loops if p.layer == "L1"]
    require(len(tiles) == 1, f"{dim} has {len(tiles)} loops on layer L1")
    require(loops[-1] is tiles[0], f"{dim}: its loop on layer L1 is not its innermost")
    for outer, part in pairwise(p for p in parts if p.size):
        fits = outer.size % part.size == 0
        require(fits or "core" in (outer.way, part.way), f"{_shown(part)} does not fill {_shown(outer)}")
    require(parts[-1].size == 1, f"{dim} ends in parts of {parts[-1].size}, not in points")


def _check_operators(low: LowLevel) -> None:
    """Loops of an inner operator are inside all others, or the two would combine in each other's place."""
    if low.in_blocks or low.boundary() is not None:
        return
    depth = {name: n for n, group in enumerate(groups(low.expression), 1) for name in group.names}
    deepest = 1
    for part in low.parts:
        if part.way in ("core", "loop"):
            level = depth.get(part.dim, 0)
            require(deepest == 1 or level >= deepest, f"{_shown(part)} is inside a loop of an operator inside its own")
            deepest = max(deepest, level)


def _check_copy(low: LowLevel, copy: Copy) -> None:
    view, places = low.expression.inp_view, [p for p in low.parts if p.way not in ("unroll", "lane")]
    require(0 <= copy.access < len(view), f"a copy of access number {copy.access} of {len(view)}")
    access = view[copy.access]
    require(-1 <= copy.at < len(places), f"{access.buffer} is copied at part {copy.at} of {len(places)}")
    same = [c for c in low.copies if (c.access, c.at) == (copy.access, copy.at)]
    require(len(same) == 1, f"{access.buffer} is copied twice at part {copy.at}")
    found = flaw(copy.layout, len(access.index))
    require(found is None, f"the layout of {access.buffer}: {found}")


def _check_stage(low: LowLevel, stage: Stage) -> None:
    if low.in_blocks:
        part = low.parts[stage.at]
        shared = part.way == "block" and part.dim in low.expression.collapsed
        require(shared, f"results wait at {_shown(part)}, which blocks do not share")
    loops = len(low.parts) if low.in_blocks else low.results_end
    require(-1 <= stage.at < loops, f"results wait at part {stage.at}, of which {loops} go through results")
    found = flaw(stage.layout, len(low.expression.remaining))
    require(found is None, f"the layout of waiting results: {found}")
    same = [s for s in low.stages if s.at == stage.at]
    require(len(same) == 1, f"results wait twice at part {stage.at}")


def _check_scalar_phase(low: LowLevel) -> None:
    if low.tile_layout is not None:
        found = flaw(low.tile_layout, len(low.expression.remaining))
        require(found is None, f"the layout of a register tile's results: {found}")
        require(not low.expression.has_prefix_sum, "the carry of a prefix sum is not in memory")
    unrolled = [p.dim for p in low.parts if p.way == "unroll"]
    ordered = not low.scalar_order or list(low.scalar_order) == unrolled
    require(ordered, f"unrolled are {', '.join(unrolled)}, the scalar phase goes by {', '.join(low.scalar_order)}")


def _check_split_accumulators(low: LowLevel) -> None:
    wrong = set(low.split_accumulators) - set(low.expression.collapsed)
    require(not wrong, f"split accumulators, but not collapsed: {', '.join(sorted(wrong))}")
    found = [g for g in groups(low.expression) if set(g.names) & set(low.split_accumulators)]
    require(all(g.operator.commutative for g in found), "split accumulators of an operator that does not commute")


def _shown(part: Part) -> str:
    return f"({part.layer},{part.dim})"
