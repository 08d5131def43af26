"""Whole configurations beside each other: what a register tile takes, and what caches, copies and stores add to it.

A tile that is cheap by itself may be dear where it is: copies that are made again for each part of a loop, results
that are written in rows far from each other, more from far caches than computing hides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.lowering.configuration.data_movement import copied, copying_rounds, handed_out, written_run
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.cache_blocking import contraction, each_in_l1
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile
from jitmdh.mdh.lowering.model.transposition import row_length
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, prices
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

# How many elements of a copy are moved one by one, of whole rows that are not whole vectors.
_ONE_BY_ONE = 0.4
# How often an element of a copy goes between caches: it is read, its place is read, and written.
_MOVED = 3
_SHORTEST_RUN = 64  # bytes of results
_PAGE = 4096  # addresses so many bytes apart are in one set of the nearest cache, and nowhere else in it
_NEXT = ("L3", "MM"), ("L2", "L3")

TILES = 12
"""How many of the cheapest register tiles are looked at as whole configurations."""

_BOTH_WAYS = 4  # of these with blocks for the caches and without
_WORTH_CHANGING = 0.9
_WORTH_LOOKING = 1.3  # times what the best tile takes by itself

Configured = Callable[[RegisterTile, "bool | None"], Configuration]


def comparable(p: Problem) -> bool:
    """Whether the costs of whole configurations say more than those of tiles: one reduction of several inputs."""
    e = p.expression
    special = e.indirect or e.scattered or e.ragged or e.procedures or e.has_prefix_sum or e.md_hom.guard
    inputs = sum(bool(access.index) for access in e.inp_view)
    return p.operator is not None and len(p.groups) == 1 and inputs > 1 and len(p.remaining) > 1 and not special


def best_whole(
    p: Problem, machine: Machine, tiles: list[RegisterTile], configured: Configured
) -> tuple[RegisterTile, bool | None]:
    """The tile, and whether with blocks (None: as is best with it alone), of which the whole takes least.

    tiles: cheapest first; the first one stays unless another is clearly better. configured: what goes with a tile; the
    same object where that is the same.
    """
    chosen: tuple[RegisterTile, bool | None] = tiles[0], None
    seen = [configured(*chosen)]
    least = whole_cost(p, machine, tiles[0], seen[0])
    if least < _WORTH_LOOKING * tiles[0].cost:
        return chosen
    least *= _WORTH_CHANGING
    plan = contraction(p, tiles[0])
    near = _is_near(p, machine) or (plan is not None and each_in_l1(p, machine, plan))
    for tile, blocked in _alternatives(tiles, near):
        if tile.cost - tile.packing < least:
            c = configured(tile, blocked)
            if any(c is other for other in seen):
                continue
            seen.append(c)
            cost = whole_cost(p, machine, tile, c)
            if cost < least:
                chosen, least = (tile, blocked), cost
    return chosen


def _alternatives(tiles: list[RegisterTile], near: bool) -> Iterator[tuple[RegisterTile, bool | None]]:
    """near: there is little to be gained by blocks for caches, and more to be lost by copies."""
    for n, tile in enumerate(tiles):
        if n:
            yield tile, None
        if n < _BOTH_WAYS:
            yield from ((tile, False),) if near else ((tile, True), (tile, False))


def _is_near(p: Problem, machine: Machine) -> bool:
    """Whether half of a core's L2 holds all that is read.

    Computing then hides where it comes from, though each byte from L2 has a price here, and blocks are copied in vain.
    """
    return sum(p.bytes_of(a) for a in p.expression.inp_view if a.index) <= machine.capacity_bytes("L2") // 2


def whole_cost(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> float:
    """Cycles of all cores together, those in which threads wait for each other included."""
    price = prices(machine)
    moved = handed_out(p, machine, c, copies=False)
    cost = tile.cost - tile.packing + sum(moved[layer] / speed for layer, speed in price.exposed.items())
    cost += sum(elements * _copying(p, machine, tile, n) for n, elements in copied(p, c).items())
    if c.input_region:  # read from end to end: computing hides where they come from, if it takes long enough
        everything = handed_out(p, machine, c)
        streamed = sum((everything[layer] - moved[layer]) / speed for layer, speed in price.stalls.items())
        cost += max(0.0, streamed - (tile.cost - tile.packing))
        if p.threads > 1:  # copies that all threads make together: each of them waits for the others
            cost += p.threads * price.round * copying_rounds(p, c)
    if c.scalar_output_region != "MM":
        results = sum(p.bytes_of(access) for access in p.expression.out_view)
        ways = machine.capacity_bytes("L1") // _PAGE
        # Lines that throw each other out of the nearest cache before they are full come again for each vector.
        conflicts = results > machine.capacity_bytes("L2") and rows_in_a_set(p, tile) > ways
        run = _SHORTEST_RUN if conflicts else written_run(p, c)
        cost += price.jump * results / max(_SHORTEST_RUN, run)
    return cost


def rows_in_a_set(p: Problem, tile: RegisterTile) -> int:
    """Of the rows of results that a register tile writes vectors to, how many share one set of the nearest cache."""
    most = 0
    for access in p.expression.out_view:
        unit = p.unit_axes.get(access.buffer)
        if unit is None or unit >= len(access.index) or tile.lane not in access.index[unit].names:
            continue
        element = p.expression.buffer(access.buffer).type.size_bytes
        rows, stride = [0], element * _extent(access.index[unit], p.extents)
        for index in reversed([i for n, i in enumerate(access.index) if n != unit]):
            count = _extent(index, {d: tile.size(d) for d in p.extents})
            rows = [row + k * stride for row in rows for k in range(count)]
            stride *= _extent(index, p.extents)
        lines = {row // LINE_BYTES for row in rows}
        most = max(most, *Counter(line % (_PAGE // LINE_BYTES) for line in lines).values())
    return most


def _extent(index: Affine, sizes: Mapping[str, int]) -> int:
    """How many places an index touches, from the first to the last one."""
    return 1 + sum(abs(coefficient) * (sizes[name] - 1) for name, coefficient in index.terms if name in sizes)


def _copying(p: Problem, machine: Machine, tile: RegisterTile, number: int) -> float:
    """Cycles for each element of a copy of an input: read where it lies, moved to where the tile wants it, written."""
    access, price = p.expression.inp_view[number], prices(machine)
    unit = p.unit_axes.get(access.buffer)
    along = access.index[unit].names if unit is not None and unit < len(access.index) else ()
    far = next((layer for near, layer in _NEXT if 2 * p.bytes_of(access) > machine.capacity_bytes(near)), "L2")
    whole = any(d in p.inner or tile.size(d) > 1 for d in along if d in p.extents)
    size = p.expression.buffer(access.buffer).type.size_bytes
    moved = (_MOVED * size if whole else LINE_BYTES) / price.stalls[far]  # one by one, each is in a line of its own
    if any(d in p.inner for d in along) and tile.lane not in along:
        in_vectors = row_length(p, access) >= tile.lanes
        return moved + (price.transposed(max(2, tile.lanes)) if in_vectors else price.copied)
    return moved + (_ONE_BY_ONE if whole else 1.0) * price.copied
