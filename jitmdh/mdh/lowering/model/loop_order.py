"""The nesting of the loops over results that moves the fewest bytes, where no copies lay down an order.

for p: for k: out[p, k] = Σ_c image[p, c] · weights[k, c]     weights, larger than a cache, come again for each p
for k: for p: …                                               they come once, and the small image again and again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, permutations

from jitmdh.mdh.algebra.expr import Access
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
        return _along_rows(p, tile, order, c.scalar_output_region == "MM")
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


def _along_rows(p: Problem, tile: RegisterTile, order: tuple[Level, ...], streaming: bool) -> tuple[Level, ...]:
    """Lanes that lie apart in an array lie in different rows of it: the innermost loop goes along these rows, so that
    the next vectors are in the cache lines of the one before. Where tiles have several points of these rows, whose
    vectors are transposed, it goes along the rows that are written: what a store has to wait for is the line that the
    tile before has written to, or asked for; non-temporal stores wait for none. Requires that nothing collapses.
    """
    row = _apart(p, tile, p.expression.out_view) or _apart(p, tile, p.expression.inp_view)
    if row is not None and tile.size(row) > 1 and not streaming:
        written = {_row(p, access) for access in p.expression.out_view}
        if len(written) == 1 and (of := written.pop()) is not None and p.extents[of] >= _TILES * tile.size(of):
            row = of
    if row is None or Level("L1", row) not in order:
        return order
    rows = [_row(p, a) for a in (*p.expression.inp_view, *p.expression.out_view) if p.lane_kind(a, row) == "apart"]
    around = next((name for name in rows if name is not None and Level("L1", name) in order), row)
    inside = tuple(Level("L1", name) for name in dict.fromkeys((around, row)))
    nesting = (*(level for level in order if level not in inside), *inside)
    return nesting if _ranges_known(p, nesting) else order


_TILES = 3
"""Of a row that is written, so that it is worth to ask for the next one's lines."""


def _apart(p: Problem, tile: RegisterTile, accesses: Sequence[Access]) -> str | None:
    """The dimension along the rows of the first array whose lanes lie in different ones."""
    for access in accesses:
        if tile.lane is not None and p.lane_kind(access, tile.lane) == "apart" and not p.indirect(access, tile.lane):
            row = _row(p, access)
            if row is not None and row != tile.lane:
                return row
    return None


def _row(p: Problem, access: Access) -> str | None:
    """The one dimension along which neighbours lie in memory."""
    unit = p.unit_axes.get(access.buffer)
    names = [] if unit is None else [n for n in access.index[unit].names if n in p.extents]
    return names[0] if len(names) == 1 else None


def _ranges_known(p: Problem, nesting: Sequence[Level]) -> bool:
    """Whether each loop over a range from data is inside those that the range depends on."""
    places = {level.dim: n for n, level in enumerate(nesting) if level.layer == "L1"}
    return all(
        places.get(name, -1) < places.get(dim.name, len(nesting))
        for dim in p.expression.ragged
        for name in p.expression.depends(dim.extent)
    )


# The share of the nearest cache for the lines of a block's rows, of which each takes two where it begins within one.
_NEAR = 0.5


def in_row_blocks(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> Configuration:
    """Rows that the innermost loop jumps between, in blocks: the next tiles find the lines of a block's rows in the
    nearest cache.

    before:  for i by 16: for j by 16: out[i, j] = x[j, i]      two lines of each row j, then the next ones
    after:   for j' by 192: for i by 16: for j in j' by 16: …   of 192 rows j
    """
    order = c.decomposition_order
    waits = c.input_region or c.output_region or c.scalar_output_region == "MM"
    if p.operator is not None or tile.lane is None or waits or len(order) < 2:
        return c
    (around, inner), extent = order[-2:], p.extents[order[-1].dim]
    rows = int(_NEAR * machine.capacity_bytes("L1")) // (2 * LINE_BYTES)
    if around.layer != "L1" or inner.layer != "L1" or tile.lane not in (around.dim, inner.dim) or extent <= rows:
        return c
    if any(dim.name == inner.dim for dim in p.expression.ragged):
        return c  # as long as the data say
    apart = [a for a in (*p.expression.inp_view, *p.expression.out_view) if not p.indirect(a, tile.lane)]
    if not any(p.lane_kind(a, inner.dim) == "apart" and _row(p, a) == around.dim for a in apart):
        return c
    size = -(-extent // (-(-extent // rows) * tile.size(inner.dim))) * tile.size(inner.dim)
    block = Level("L3", inner.dim)

    def blocked(levels: tuple[Level, ...]) -> tuple[Level, ...]:
        at = levels.index(around)
        return (*levels[:at], block, *levels[at:])

    return replace(
        c,
        part_size=(*c.part_size, (block, size)),
        decomposition_order=blocked(order),
        scalar_order=blocked(c.scalar_order),
        recomposition_order=blocked(c.recomposition_order),
    )
