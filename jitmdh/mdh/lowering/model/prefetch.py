"""Which inputs are worth prefetches. How far ahead, and which cache lines, the pass of that name decides."""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import prod

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.lowering.problem.prices import SHORT_ROWS_ARRAYS
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine


def prefetched_inputs(
    p: Problem,
    machine: Machine,
    lane: str | None,
    loops: Sequence[str],
    copied: Container[int],
    tile_points: int = 0,
    width: int = 0,
) -> list[int]:
    """Inputs to prefetch: large ones, read in the order of memory, tile by tile, or in rows shorter than a tile.

    loops: dimensions of the loops over register tiles, outermost first; tile_points: points along the lanes and along
    the innermost loop that one run of that loop takes; width: of a tile, along the lanes.
    Where the innermost one walks along the lanes, that is main memory; where it walks across, from row to row, each of
    which lies in another page, any cache but the nearest two. Rows shorter than a tile are loaded under masks, and no
    hardware prefetcher follows; with a loop around the expression, what passes by in all of its points counts.

    What is the same in all lanes is prefetched anyway: that it is asked for says that what short rows of results held
    comes from memory, too.
    """
    if lane is None or not (loops or p.passing):
        return []
    short = 1 < p.extents[lane] < width and machine.masked and not machine.warps
    along = short or (bool(loops) and loops[-1] == lane)
    if along:
        least = machine.capacity_bytes("L3") // (SHORT_ROWS_ARRAYS if short else 1)
    else:
        least = machine.capacity_bytes("L2")
    inside = loops[len(loops) - loops[::-1].index(lane) :] if lane in loops else []
    if not along and (not inside or loops[-1] not in p.collapsed):
        return []
    finish = p.expression.finish if short else None
    held = finish is not None and any(_passing(p, access) > least for access in finish.inp_view)

    def is_far(access: Access) -> bool:
        kind = p.lane_kind(access, lane)
        if kind == "contiguous":
            return (_passing(p, access) if short else p.bytes_of(access)) > least
        return kind == "same" and finish is not None and (held or p.bytes_of(access) > least)

    return [
        n
        for n, access in enumerate(p.expression.inp_view)
        if n not in copied
        and is_far(access)
        and (along or _next_is_beside(p, access, loops[-1], inside))
        and tile_points * p.expression.buffer(access.buffer).type.size_bytes <= machine.capacity_bytes("L2") // 2
    ]


def _passing(p: Problem, access: Access) -> int:
    """Bytes of an array that come by: in all points of a loop around the expression, if there is one."""
    return max(p.bytes_of(access), p.passing.get(access.buffer, 0))


# Results that a vector has to serve so that its line is worth an instruction of its own.
_RESULTS_PER_LINE = 4


def _next_is_beside(p: Problem, access: Access, walked: str, inside: Sequence[str]) -> bool:
    """Whether an access reads other rows along the innermost loop, is done with them when the tile along the lanes
    changes, and serves so many results that asking costs little. inside: dimensions of the loops inside that along the
    lanes."""
    done = all(d in p.collapsed or not p.varies(access, d) for d in inside)
    results = prod(p.extents[d] for d in p.remaining if not p.varies(access, d))
    return done and p.varies(access, walked) and results >= _RESULTS_PER_LINE
