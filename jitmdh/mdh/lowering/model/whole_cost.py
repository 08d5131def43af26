"""Whole configurations beside each other: what a register tile takes, and what caches, copies and stores add to it.

A tile that is cheap by itself may be dear where it is: copies that are made again for each part of a loop, results
that are written in rows far from each other, more from far caches than computing hides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jitmdh.mdh.lowering.configuration.data_movement import copied, handed_out, written_run
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.register_tiling import RegisterTile
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

# Bytes in a cycle that each layer adds to computing, which hides most of it. These and the prices below are those that
# rank 1,200 configurations of 47 contractions best, measured on one core of an AMD EPYC (Zen 4).
_BYTES_PER_CYCLE = {"L2": 40.0, "L3": 100.0, "MM": 4.5}
# Cycles for each element of a copy: rows that become columns in registers, whole rows, single elements.
_TURNED, _ROWS, _ELEMENTS = 0.7, 1.0, 2.5
# Cycles until the next row of results has come, which no prefetcher has asked for, and the shortest run in bytes.
_JUMP, _SHORTEST_RUN = 12.0, 64

TILES = 12
"""How many of the cheapest register tiles are looked at as whole configurations."""

_BOTH_WAYS = 4  # of these with blocks for the caches and without
_WORTH_CHANGING = 0.9
_WORTH_LOOKING = 1.5  # times what the best tile takes by itself

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

    tiles: cheapest first; the first one stays unless another is clearly better. configured: what goes with a tile.
    """
    chosen: tuple[RegisterTile, bool | None] = tiles[0], None
    least = whole_cost(p, machine, tiles[0], configured(*chosen))
    if least < _WORTH_LOOKING * tiles[0].cost:
        return chosen
    least *= _WORTH_CHANGING
    for tile, blocked in _alternatives(tiles):
        if tile.cost - tile.packing < least:
            cost = whole_cost(p, machine, tile, configured(tile, blocked))
            if cost < least:
                chosen, least = (tile, blocked), cost
    return chosen


def _alternatives(tiles: list[RegisterTile]) -> Iterator[tuple[RegisterTile, bool | None]]:
    for n, tile in enumerate(tiles):
        if n:
            yield tile, None
        if n < _BOTH_WAYS:
            yield from ((tile, True), (tile, False))


def whole_cost(p: Problem, machine: Machine, tile: RegisterTile, c: Configuration) -> float:
    """Cycles of the whole computation on one core."""
    moved = handed_out(p, machine, c, copies=False)  # these are read from end to end, which hides where they come from
    cost = tile.cost - tile.packing + sum(moved[layer] / speed for layer, speed in _BYTES_PER_CYCLE.items())
    cost += sum(elements * _copying(p, tile, n) for n, elements in copied(p, c).items())
    if c.scalar_output_region != "MM":
        results = sum(p.bytes_of(access) for access in p.expression.out_view)
        cost += _JUMP * results / max(_SHORTEST_RUN, written_run(p, c))
    return cost


def _copying(p: Problem, tile: RegisterTile, number: int) -> float:
    """Cycles for each element of a copy of an input."""
    access = p.expression.inp_view[number]
    unit = p.unit_axes.get(access.buffer)
    along = access.index[unit].names if unit is not None and unit < len(access.index) else ()
    if any(d in p.inner for d in along):
        return _ROWS if tile.lane in along else _TURNED
    return _ROWS if any(tile.size(d) > 1 for d in along if d in p.extents) else _ELEMENTS
