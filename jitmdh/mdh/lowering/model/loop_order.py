"""The nesting of the loops over results that moves the fewest bytes, where no copies lay down an order.

for p: for k: out[p, k] = Σ_c image[p, c] · weights[k, c]     weights, larger than a cache, come again for each p
for k: for p: …                                               they come once, and the small image again and again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, permutations

from jitmdh.mdh.lowering.configuration.data_movement import handed_out
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, prices
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

# The share of the time of computing from which on waiting for caches is worth a look at other nestings, and how much
# less of it another one has to have: what neighbouring results share beyond whole tiles, the model does not know.
_WORTH_LOOKING, _WORTH_CHANGING = 0.25, 0.75
# Loops that are looked at in all nestings; of more, the outermost.
_MOST_LOOPS = 3


def stall_cycles(p: Problem, machine: Machine, c: Configuration) -> float:
    """Cycles in which a core waits for caches and memory, if nothing is computed meanwhile."""
    moved = handed_out(p, machine, c)
    return sum(moved[layer] / speed for layer, speed in prices(machine).stalls.items()) / p.threads


def in_best_order(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> Configuration:
    """`c` with the loops of all phases `nested`; the same object if they are."""
    levels = c.decomposition_order
    nesting = nested(p, machine, tile, c)
    if nesting == levels:
        return c
    split = len(c.recomposition_order) - len(levels)
    return replace(
        c,
        decomposition_order=nesting,
        scalar_order=(*nesting, *c.scalar_order[len(levels) :]),
        recomposition_order=(*c.recomposition_order[:split], *nesting),
    )


def nested(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> tuple[Level, ...]:
    """The order of the loops of `c`, or a better one of those over results. Requires one order in all phases."""
    order = c.decomposition_order
    if c.input_region or c.output_region:
        return order
    if p.operator is None:
        return _along_rows(p, machine, tile, order)
    if c.scalar_output_region == "MM":
        return order
    places = [
        n for n, level in enumerate(order)
        if level.layer == "L1" and level.dim in p.remaining and level.dim not in p.scanned
        and p.extents[level.dim] > tile.size(level.dim)
    ][:_MOST_LOOPS]  # fmt: skip
    if len(places) < 2:
        return order
    least = stall_cycles(p, machine, c)
    if least < _WORTH_LOOKING * tile.cost / p.threads:
        return order
    least *= _WORTH_CHANGING
    for levels in islice(permutations([order[n] for n in places]), 1, None):  # the first is the one that there is
        other = list(order)
        for place, level in zip(places, levels):
            other[place] = level
        if not _ranges_known(p, other):
            continue
        cycles = stall_cycles(p, machine, replace(c, decomposition_order=tuple(other)))
        if cycles < least:
            order, least = tuple(other), cycles
    return order


def _along_rows(p: Problem, machine: Machine, tile: RegisterTile, order: tuple[Level, ...]) -> tuple[Level, ...]:
    """Lanes that lie apart in an array lie in different rows of it: the innermost loop goes along these rows, so that
    the next vectors are in the cache lines of the one before. Of matrices, along rows of what is read. Requires that
    nothing collapses.
    """
    for access in (*p.expression.inp_view, *p.expression.out_view):
        unit = p.unit_axes.get(access.buffer)
        if tile.lane is None or unit is None or p.lane_kind(access, tile.lane) != "apart":
            continue
        row = [Level("L1", n) for n in access.index[unit].names if n in p.extents and n != tile.lane]
        if len(row) == 1 and row[0] in order and not p.indirect(access, tile.lane):
            if access in p.expression.out_view and _is_read_in_rows(p, machine, tile, order, row[0]):
                row = [Level("L1", tile.lane)]
            nesting = (*(level for level in order if level != row[0]), *row)
            return nesting if _ranges_known(p, nesting) else order
    return order


# Times the second cache's size: of what is larger, and of the lines that wait there to be written to again.
_LARGE, _WAITING = 0.25, 0.5


def _is_read_in_rows(p: Problem, machine: Machine, tile: RegisterTile, order: tuple[Level, ...], row: Level) -> bool:
    """Whether a matrix whose lanes lie in different rows of the result is better read from end to end, as processors
    expect it: what is written lies in other rows then, which nothing waits for.

    Requires whole lines in each row of a tile, and room for those that two tiles share. Measured on an Intel Xeon
    (Emerald Rapids), one core: 3495 x 609 float32 1.6 to 1.1 ms, 1100 x 1200 float64 2.0 to 1.2; uint8, whose vectors
    are parts of lines, 1.1 to 1.4 times as long, as are 20 rows of 90,000.
    """
    e, l2 = p.expression, machine.capacity_bytes("L2")
    loops = [level for level in order if level.layer == "L1"]
    if len(loops) != 2 or len(p.extents) != 2 or Level("L1", tile.lane or "") not in loops:
        return False
    size = min(e.buffer(access.buffer).type.size_bytes for access in e.out_view)
    return (
        tile.size(row.dim) * size >= LINE_BYTES
        and 2 * LINE_BYTES * p.extents[tile.lane or ""] <= _WAITING * l2
        and sum(p.bytes_of(access) for access in (*e.inp_view, *e.out_view)) > _LARGE * l2
    )


def _ranges_known(p: Problem, nesting: Sequence[Level]) -> bool:
    """Whether each loop over a range from data is inside those that the range depends on."""
    places = {level.dim: n for n, level in enumerate(nesting) if level.layer == "L1"}
    return all(
        places.get(name, -1) < places.get(dim.name, len(nesting))
        for dim in p.expression.ragged
        for name in p.expression.depends(dim.extent)
    )


# The share of the second cache for lines of rows without blocks. On AMD (Zen 4, 1 MiB) blocks halve what 4,000 rows
# take; on Intel (Emerald Rapids, 2 MiB) up to 4,096 are 0 to 28 % faster without: 2000 x 2000 float32 4.5 to 3.3 ms.
_NEAR = 0.125


def in_row_blocks(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> Configuration:
    """Rows that lanes jump between, in blocks: the next tiles find the lines of a block's rows in the nearest cache.
    Only of many rows, whose lines would fill the second one.

    before:  for i by 16: for j by 16: out[i, j] = x[j, i]      a line of each row j, then the next ones
    after:   for j' by 512: for i by 16: for j in j' by 16: …   of 512 rows j
    """
    order, rows = c.decomposition_order, machine.capacity_bytes("L1") // LINE_BYTES
    near = max(rows, int(_NEAR * machine.capacity_bytes("L2")) // LINE_BYTES)
    if p.operator is not None or tile.lane is None or c.input_region or c.output_region or len(order) < 2:
        return c
    (lane, row), extent = order[-2:], p.extents[order[-1].dim]
    if lane != Level("L1", tile.lane) or row.layer != "L1" or extent <= near:
        return c
    if any(dim.name == row.dim for dim in p.expression.ragged):
        return c  # as long as the data say
    apart = (*p.expression.inp_view, *p.expression.out_view)
    if not any(p.lane_kind(a, tile.lane) == "apart" and not p.indirect(a, tile.lane) for a in apart):
        return c
    parts = -(-extent // rows)
    size = -(-extent // (parts * tile.size(row.dim))) * tile.size(row.dim)
    block = Level("L3", row.dim)

    def blocked(levels: tuple[Level, ...]) -> tuple[Level, ...]:
        at = levels.index(lane)
        return (*levels[:at], block, *levels[at:])

    return replace(
        c,
        part_size=(*c.part_size, (block, size)),
        decomposition_order=blocked(order),
        scalar_order=blocked(c.scalar_order),
        recomposition_order=blocked(c.recomposition_order),
    )
