"""Copies whose vectors begin where cache lines do, of inputs that are read again and again.

An array begins anywhere in a line, and so do its rows: a load of 64 bytes then takes two lines, and twice as long.
Where the same elements are loaded many times, that costs more than a copy in whole vectors.
"""

from __future__ import annotations

from collections.abc import Container
from math import prod

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, prices
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.layout import Layout
from jitmdh.mdh.machine.model import Machine

# The saving has to be that many times what copying takes, and that share of the whole.
_WORTH_COPYING, _WORTH_LOOKING = 4.0, 0.02


def aligned_copies(
    p: Problem, machine: Machine, tile: RegisterTile, copied: Container[int]
) -> list[tuple[int, Layout]]:
    """The inputs to copy into whole lines, and how they lie there. copied: those that are copied anyway."""
    e = p.expression
    if p.operator is None or len(p.groups) != 1 or e.indirect or e.scattered or e.has_prefix_sum or e.md_hom.guard:
        return []
    steps = p.points / (tile.lanes * prod(tile.counts.values()))
    found: list[tuple[int, Layout]] = []
    price = prices(machine, p.threads, tile.lanes)
    for n, access in enumerate(e.inp_view):
        layout = None if n in copied else _layout(p, tile, access)
        if layout is None or p.bytes_of(access) > machine.capacity_bytes("L2"):
            continue
        torn = min(1.0, tile.lanes * e.buffer(access.buffer).type.size_bytes / LINE_BYTES)
        longer = price.load * (price.line_crossing - 1) * torn
        saved = steps * p.distinct(access, tile.counts, tile.lane, tile.lanes) * longer
        vectors = p.footprint(access, p.extents) / tile.lanes
        copying = price.aligned_copy * vectors + price.round
        if saved >= _WORTH_LOOKING * tile.cost and saved >= _WORTH_COPYING * copying:
            found.append((n, layout))
    return found


def _layout(p: Problem, tile: RegisterTile, access: Access) -> Layout | None:
    """Panels as wide as the tile, or rows of whole vectors; None where vectors slide, or do not lie along the lanes."""
    lane = tile.lane
    if lane is None or access.guard or p.lane_kind(access, lane) != "contiguous":
        return None
    axis = next(a for a, index in enumerate(access.index) if index.coefficient(lane))
    index = access.index[axis]
    if index.coefficient(lane) != 1 or any(d != lane and d in p.extents for d in index.names):
        return None
    rest: Layout = tuple((a, 1) for a in _longest_first(p, access) if a != axis)
    if lane in p.collapsed:  # walked along: its vectors follow each other
        return (*rest, (axis, tile.lanes), (axis, 1))
    return ((axis, tile.size(lane)), *rest, (axis, 1))


def _longest_first(p: Problem, access: Access) -> list[int]:
    """The axes in order, but the longest of those before the last in front: threads share the copying along it."""
    axes = list(range(len(access.index)))
    longest = max(axes[:-1], key=lambda a: p.span(access, a, p.extents), default=0)
    return [longest, *(a for a in axes if a != longest)]
