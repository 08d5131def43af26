"""Whole configurations beside each other: what a register tile takes, and what caches, copies and stores add to it.

A tile that is cheap by itself may be dear where it is: copies that are made again for each part of a loop, results
that are written in rows far from each other, more from far caches than computing hides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from math import inf, prod

from jitmdh.mdh.lowering.configuration.data_movement import copied, copying_rounds, handed_out, jumps, written_run
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.cache_blocking import contraction, each_in_l1
from jitmdh.mdh.lowering.model.lanes import lane_candidates
from jitmdh.mdh.lowering.model.loop_order import in_best_order
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile, RegisterTiles
from jitmdh.mdh.lowering.model.transposition import MOVED, ONE_BY_ONE, row_length
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, PAGE_BYTES, prices
from jitmdh.mdh.lowering.problem.reuse import extent_of, rows_in_one_set
from jitmdh.mdh.lowering.problem.traffic import Problem, operations
from jitmdh.mdh.machine.model import Machine

_SHORTEST_RUN = 64  # bytes of results
_NEXT = ("L3", "MM"), ("L2", "L3")
# How many times an input that is copied has to fit a cache to come from there, and the copy to stay there: with the
# copy, and in L3 with results and what else a processor does.
_HELD = {"L2": 2, "L3": 4}

TILES = 12
"""How many of the cheapest register tiles are looked at as whole configurations."""

_BOTH_WAYS = 4  # of these with blocks for the caches and without
_WORTH_CHANGING = 0.9
_WORTH_LOOKING = 1.3  # times what the best tile takes by itself

# Times what the chosen one takes in parts, below which another one takes its place (contractions on two cores of an AMD
# EPYC, Zen 4): with cores along another dimension, 12 from 0.9 on took 0.65 to 1.0 of the time; along other lanes, four
# of half the L3 and more took 0.44, 0.57, 0.9 and 1.3 of it, eleven smaller ones 0.66 to 1.2. And how many of these
# tiles are looked at.
_CORES_ELSEWHERE, _OTHER_LANES, _OF_OTHER_LANES = 0.9, 0.83, 2
# Without copies of what does not vary with the lanes: five of five from 0.95 on took 0.88 to 0.91 of the time; without
# those of what does, four of six.
_FEWER_COPIES = 0.95
_MANY_TILES = 4  # in a part of a core: what it reads again is little beside what it computes
_TILES_OF_A_THREAD = 4  # so that none waits long for the others
_SHORTEST_PART = 1 << 10  # bytes of results that follow each other: what lies between two of them is both threads'
# The shares of what comes from the second cache, and of rows of results, that count where parts are looked at one by
# one: `prices` holds them as they rank configurations without, where they stand for what parts read again, too.
_OF_PARTS = {"L2": 0.5}
_ROWS_OF_PARTS = 0.5

# Operations of a tile below which rows of several tiles are waited for at once, by so many times as it has fewer; no
# more than there are buffers for lines. Minima of products of two planes, along short rows: 136 -> 40 us (AMD Zen 5).
_UNDER_WAY, _MOST_AHEAD = 16, 8

Configured = Callable[[RegisterTile, "bool | None"], Configuration]


def comparable(p: Problem) -> bool:
    """Whether the costs of whole configurations say more than those of tiles: one reduction of several inputs."""
    e = p.expression
    special = e.indirect or e.scattered or e.ragged or e.procedures or e.has_prefix_sum or e.md_hom.guard
    # The parts of complex numbers are one input.
    inputs = len({(e.buffer(a.buffer).of or (a.buffer, n), a.index) for n, a in enumerate(e.inp_view) if a.index})
    return p.operator is not None and len(p.groups) == 1 and inputs > 1 and len(p.remaining) > 1 and not special


def best_whole(
    p: Problem, machine: Machine, tiles: list[RegisterTile], configured: Configured, ways: bool = True
) -> tuple[RegisterTile, bool | None]:
    """The tile, and whether with blocks (None: as is best with it alone), of which the whole takes least.

    tiles: cheapest first; the first one stays unless another is clearly better. configured: what goes with a tile; the
    same object where that is the same. ways: whether with blocks and without is looked at, too.
    """
    chosen: tuple[RegisterTile, bool | None] = tiles[0], None
    seen = [configured(*chosen)]
    least = whole_cost(p, machine, tiles[0], seen[0])
    if least < _WORTH_LOOKING * tiles[0].cost:
        return chosen
    least *= _WORTH_CHANGING
    plan = contraction(p, tiles[0])
    near = _is_near(p, machine) or (plan is not None and each_in_l1(p, machine, plan))
    alternatives = _alternatives(tiles, near) if ways else ((tile, None) for tile in tiles[1:])
    for tile, blocked in alternatives:
        if tile.cost - tile.packing < least:
            c = configured(tile, blocked)
            if any(c is other for other in seen):
                continue
            seen.append(c)
            cost = whole_cost(p, machine, tile, c, limit=least)
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


def along_other_lanes(
    p: Problem,
    machine: Machine,
    present: tuple[RegisterTile, bool | None],
    every: RegisterTiles,
    configured: Configured,
) -> tuple[RegisterTile, bool | None]:
    """As `best_whole`: one along lanes that follow each other in the results, if it is far better than `present`.

    Only of what comes from far: there copies, which are made from end to end, save more than they take; what is near
    is mostly loaded as fast from rows that lie apart, though costs say less of it.
    """
    tile, blocked = present
    c = configured(tile, blocked)
    along = {lane for lane, _ in lane_candidates(p, machine) if lane in p.remaining and lane != tile.lane}
    lanes = [d for d in along if all(p.lane_kind(access, d) == "contiguous" for access in p.expression.out_view)]
    everything = [*p.expression.inp_view, *p.expression.out_view]
    if not lanes or any(len(index.names) > 1 for access in everything for index in access.index):
        return present  # what windows share of copies, costs do not know
    if 2 * sum(p.bytes_of(access) for access in everything) <= machine.capacity_bytes("L3"):
        return present
    chosen, least = present, _OTHER_LANES * whole_cost(p, machine, tile, c, parts=True)
    if least <= tile.cost - tile.packing:
        return present
    for lane in lanes:
        tiles = every.cheapest(_OF_OTHER_LANES, lambda tile, lane=lane: tile.lane == lane)  # type: ignore[misc]
        for other, ways in product(tiles, (None, False)):
            if other.cost - other.packing < least:
                cost = whole_cost(p, machine, other, configured(other, ways), parts=True, limit=least)
                if cost < least:
                    chosen, least = (other, ways), cost
    return chosen


def shared_elsewhere(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> Configuration:
    """`c` with cores along another dimension of results, where far less is read again and again so; else `c` itself.

    Of a dimension with few tiles each part is one or two of them, and goes through all that does not vary with it.
    """
    cores = [level for level in c.decomposition_order[:1] if level.layer == "COR"]
    if p.threads < 2 or not cores or not comparable(p) or any(level in cores for _, level, _ in c.input_region):
        return c
    if any(level.layer == "COR" for level in c.decomposition_order[1:]):
        return c
    present, parts = cores[0].dim, p.threads * max(1, -(c.size("COR", cores[0].dim) or 0))
    dims = [
        d for d in p.remaining
        if d not in (tile.lane, present) and p.extents[d] >= _TILES_OF_A_THREAD * p.threads * tile.size(d)
        and _rows_of(p, d) * p.extents[d] >= _SHORTEST_PART * parts
    ]  # fmt: skip
    if not dims or p.extents[present] > _MANY_TILES * parts * tile.size(present):
        return c
    found, least = c, _CORES_ELSEWHERE * whole_cost(p, machine, tile, c, parts=True)
    for dim in dims if least > tile.cost - tile.packing else ():
        other = in_best_order(p, machine, tile, _renamed(c, cores[0], Level("COR", dim)))
        cost = whole_cost(p, machine, tile, other, parts=True, limit=least)
        if cost < least:
            found, least = other, cost
    return found


def fewer_copies(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> Configuration:
    """`c` without the copies of an array that takes longer to copy than is saved; else `c` itself.

    Of those that do not vary with the lanes: single numbers are loaded as fast from rows that lie apart.
    """
    if not comparable(p) or tile.lane is None:
        return c
    found, least = c, 0.0
    accesses = (p.expression.inp_view[number] for number, _, _ in c.input_region)
    arrays = {access.buffer for access in accesses if not p.varies(access, tile.lane)}
    for array in sorted(arrays):
        least = least or _FEWER_COPIES * whole_cost(p, machine, tile, c, parts=True)
        kept = {number for number, _, _ in c.input_region if p.expression.inp_view[number].buffer != array}
        other = replace(
            c,
            input_region=tuple(copy for copy in c.input_region if copy[0] in kept),
            input_layout=tuple(layout for layout in c.input_layout if layout[0] in kept),
        )
        cost = whole_cost(p, machine, tile, other, parts=True, limit=least)
        if cost < least:
            found, least = other, cost
    return found


def _rows_of(p: Problem, dim: str) -> int:
    """Bytes of results from one point of a dimension to the next, if they lie in rows; at least, of several."""
    found = []
    for access in p.expression.out_view:
        unit, size = p.unit_axes.get(access.buffer), p.expression.buffer(access.buffer).type.size_bytes
        axes = [index for n, index in enumerate(access.index) if n != unit]
        axes += [access.index[unit]] if unit is not None and unit < len(access.index) else []
        at = max((n for n, index in enumerate(axes) if dim in index.names), default=len(axes))
        found.append(size * prod(extent_of(index, p.extents) for index in axes[at + 1 :]))
    return min(found, default=0)


def _renamed(c: Configuration, present: Level, level: Level) -> Configuration:
    """`c` with another level in the place of one."""

    def levels(order: tuple[Level, ...]) -> tuple[Level, ...]:
        return tuple(level if own == present else own for own in order)

    return replace(
        c,
        part_size=tuple((level if own == present else own, n) for own, n in c.part_size),
        decomposition_order=levels(c.decomposition_order),
        scalar_order=levels(c.scalar_order),
        recomposition_order=levels(c.recomposition_order),
    )


def _is_near(p: Problem, machine: Machine) -> bool:
    """Whether half of a core's L2 holds all that is read.

    Computing then hides where it comes from, though each byte from L2 has a price here, and blocks are copied in vain.
    """
    return sum(p.bytes_of(a) for a in p.expression.inp_view if a.index) <= machine.capacity_bytes("L2") // 2


def whole_cost(
    p: Problem, machine: Machine, tile: RegisterTile, c: Configuration, parts: bool = False, limit: float = inf
) -> float:
    """Cycles of all cores together, those in which threads wait for each other included. parts: as of `handed_out`;
    such costs are compared with each other only. limit: of what takes longer it is not said how much longer."""
    price, shown = prices(machine), _OF_PARTS if parts else {}
    # Panels are read from end to end, and computing hides most of where they come from. Where lanes collapse, a copy
    # has rows as the array has: a tile reads several at a time, each vector from a line of its own.
    moved = handed_out(p, machine, c, copies=tile.lane in p.collapsed, parts=parts)
    cost = tile.cost - tile.packing
    cost += sum(shown.get(layer, 1.0) * moved[layer] / speed for layer, speed in price.exposed.items())
    if cost >= limit:
        return cost
    cost += _jumping(p, machine, c, tile)
    if cost >= limit:
        return cost
    copies = copied(p, c)
    near = {n for n, level, _ in c.input_region if level.dim}
    cost += sum(elements * _copying(p, machine, tile, n, n in near) for n, elements in copies.items())
    cost += sum(_loaded_apart(p, machine, tile, n) for n in tile.packed if n not in copies)
    if cost >= limit:
        return cost
    if c.input_region:  # read from end to end: computing hides where they come from, if it takes long enough
        everything = handed_out(p, machine, c, parts=parts)
        streamed = sum((everything[layer] - moved[layer]) / speed for layer, speed in price.stalls.items())
        cost += max(0.0, streamed - (tile.cost - tile.packing))
        if p.threads > 1:  # copies that all threads make together: each of them waits for the others
            cost += p.threads * price.round * copying_rounds(p, c)
    if c.scalar_output_region != "MM":
        results = sum(p.bytes_of(access) for access in p.expression.out_view)
        ways = machine.capacity_bytes("L1") // PAGE_BYTES
        # Lines that throw each other out of the nearest cache before they are full come again whenever a tile has
        # written a piece of them.
        conflicts = results > machine.capacity_bytes("L2") and rows_in_a_set(p, tile) > ways
        run = _piece_of_a_row(p, tile) if conflicts else max(_SHORTEST_RUN, written_run(p, c))
        cost += (_ROWS_OF_PARTS if parts else 1.0) * price.jump * results / run
    return cost


def _jumping(p: Problem, machine: Machine, c: Configuration, tile: RegisterTile) -> float:
    """Cycles in which a core waits for rows of inputs that nothing asks for before they are needed.

    Of tiles of few operations the next ones are under way meanwhile, and ask for theirs.
    """
    price, cost, lane = prices(machine), 0.0, tile.lane
    reads = p.expression.inp_view
    prefetched = {n for n, _ in c.scalar_input_region if lane is None or p.varies(reads[n], lane)}
    asked_for = {n for n, _, _ in c.input_region} | prefetched
    ahead = min(_MOST_AHEAD, max(1.0, _UNDER_WAY / (operations(p.expression) * prod(tile.counts.values()))))
    for n in range(len(reads)):
        count, between = (0.0, 0) if n in asked_for else jumps(p, machine, c, n)
        if between > price.streams:
            waiting = price.jump + (price.page_walk if between > price.pages else 0.0)
            cost += count * waiting / ahead
    return cost


def rows_in_a_set(p: Problem, tile: RegisterTile) -> int:
    """Of the rows of results that a register tile writes to, how many share one set of the nearest cache."""
    sizes = {d: tile.size(d) for d in p.extents}
    return max((rows_in_one_set(p, access, sizes) for access in p.expression.out_view), default=0)


def _piece_of_a_row(p: Problem, tile: RegisterTile) -> int:
    """Bytes of a row of results that a register tile writes, at least; of whole lines, one."""
    found = [LINE_BYTES]
    for access in p.expression.out_view:
        unit, size = p.unit_axes.get(access.buffer), p.expression.buffer(access.buffer).type.size_bytes
        along = access.index[unit].names if unit is not None and unit < len(access.index) else ()
        found.append(size * prod(tile.size(d) for d in along if d in p.extents))
    return min(found)


def _loaded_apart(p: Problem, machine: Machine, tile: RegisterTile, number: int) -> float:
    """Cycles of vectors of elements that lie apart, of an input that the tile counts on a copy of."""
    access = p.expression.inp_view[number]
    again = prod(tile.counts.get(d, 1) for d in p.extents if not p.varies(access, d))
    return p.points / again * prices(machine).apart


def _copying(p: Problem, machine: Machine, tile: RegisterTile, number: int, near: bool) -> float:
    """Cycles for each element of a copy of an input: read where it lies, moved to where the tile wants it, written.

    near: the copy is made in parts, which stay near.
    """
    access, price = p.expression.inp_view[number], prices(machine)
    unit = p.unit_axes.get(access.buffer)
    along = access.index[unit].names if unit is not None and unit < len(access.index) else ()
    bytes_of = p.bytes_of(access)
    far = next((layer for inner, layer in _NEXT if _HELD[inner] * bytes_of > machine.capacity_bytes(inner)), "L2")
    whole = any(d in p.inner or tile.size(d) > 1 for d in along if d in p.extents)
    size = p.expression.buffer(access.buffer).type.size_bytes
    moved = (MOVED * size if whole else LINE_BYTES) / price.stalls[far]  # one by one, each is in a line of its own
    if near and whole:
        moved = size / price.stalls[far] + (MOVED - 1) * size / price.stalls["L2"]
    if any(d in p.inner for d in along) and tile.lane not in along:
        in_vectors = row_length(p, access) >= tile.lanes
        return moved + (price.transposed(max(2, tile.lanes)) if in_vectors else price.copied)
    return moved + (ONE_BY_ONE if whole else 1.0) * price.copied
