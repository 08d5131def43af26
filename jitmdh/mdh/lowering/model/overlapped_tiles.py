"""Which chains of stencils go through tiles: what one step hands to the next then stays near a core, at the price of a
halo that neighbouring tiles compute both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Expression, Program, Step, Together
from jitmdh.mdh.algebra.rewrites.neighbours.overlapped import Tiles, along
from jitmdh.mdh.algebra.rewrites.neighbours.together import Neighbours
from jitmdh.mdh.lowering.model.locality import apart, bytes_of_point, fits_l2, reads_once
from jitmdh.mdh.lowering.problem.op_costs import ExpressionRun, instructions
from jitmdh.mdh.lowering.problem.prices import prices
from jitmdh.mdh.machine.model import Machine

_LONGEST = 8  # expressions in one tile
_AS_MUCH = 0.9  # of the work of the step that computes most
_SIZES = tuple(1 << n for n in range(3, 17))
# Of the points of a step, those that a tile may compute a second time: more where its arrays then fit L2.
_RECOMPUTED_IN_L2, _RECOMPUTED = 1 / 8, 1 / 16
_WRITTEN_AND_READ = 2  # times that an array which stays near a core does not go through memory
# What tiles cost, as shares of what computing takes: ends of loops; where all arrays stay in L3, computing hides most
# of what comes from there, so that only steps that compute little gain.
_SHORTER_LOOPS, _HIDES_L3 = 1 / 16, 1 / 3


Worth = Callable[[Tiles, int, Together, Mapping[str, int], Machine, int], bool]
"""Whether tiles of so many points are, given the loop over them and the sizes with how many there are."""


@dataclass(frozen=True, slots=True)
class Tiled:
    """Neighbouring expressions, a dimension of each, and how many points of the last one a tile has."""

    steps: tuple[Expression, ...]
    dims: tuple[str, ...]
    size: int


def overlapped_tiles(
    program: Program, sizes: Mapping[str, int], machine: Machine, threads: int, worth: Worth | None = None
) -> tuple[Tiled, ...]:  # fmt: skip
    """Runs of neighbouring expressions that are better computed in overlapped tiles, the longest first.

    sizes: of the call; without those of the extents there are none. worth: None: as the model says.
    """
    worth = worth or _worth
    around = Neighbours(program)
    found: list[Tiled] = []
    for steps in _neighbours(program.steps):
        while len(steps) > 1:
            longest = min(len(steps), _LONGEST)
            ends = (n for n in range(longest, 1, -1) if around.own(steps[:n]))
            tiled = next(filter(None, (_of_run(around, steps[:n], sizes, machine, threads, worth) for n in ends)), None)
            found += [tiled] if tiled is not None else []
            steps = steps[len(tiled.steps) if tiled is not None else 1 :]
    return tuple(found)


def _neighbours(steps: Sequence[Step]) -> Iterator[tuple[Expression, ...]]:
    """Expressions with nothing else between them."""
    run: list[Expression] = []
    for step in steps:
        if isinstance(step, Expression):
            run.append(step)
            continue
        yield tuple(run)
        run = []
        if not isinstance(step, Together):
            yield from _neighbours(step.body)
    yield tuple(run)


def _of_run(
    around: Neighbours, steps: tuple[Expression, ...], sizes: Mapping[str, int], machine: Machine, threads: int,
    worth: Worth,
) -> Tiled | None:  # fmt: skip
    last = steps[-1].md_hom
    for dim in (d.name for d, c in zip(last.dims, last.combine) if isinstance(c, Concatenation)):
        dims = along(steps, dim)
        if dims is None:
            continue
        tiles = Tiles(around, steps, dims, 1)
        if tiles.obstacle() is None and any(tiles.recomputed):  # without a halo, points may go together by themselves
            size = _size(tiles, sizes, machine, threads, worth)
            if size is not None:
                return Tiled(steps, dims, size)
    return None


def _size(tiles: Tiles, sizes: Mapping[str, int], machine: Machine, threads: int, worth: Worth) -> int | None:
    """Points of a tile; None: the expressions had better stay apart.

    The largest tile whose arrays fit L2, if little is computed again there; else the smallest one with less of that.
    The step that computes most has a power of two of points in it: as many as register tiles have, and no rest. Of
    some that compute about as much the one that reads most neighbours: several of its points are in a register tile.
    """
    halo = max(tiles.recomputed)
    try:
        points, work = tiles.points_at(sizes), [instructions(ExpressionRun(e, 1, sizes)) for e in tiles.steps]
        reads = [_places_read(e, dim) for e, dim in zip(tiles.steps, tiles.dims)]
        tiled = max(range(len(work)), key=lambda n: (work[n] >= _AS_MUCH * max(work), reads[n], work[n]))
        most = tiles.recomputed[tiled]
        near = [n - most for n in _SIZES if n <= points and halo <= n * _RECOMPUTED_IN_L2]
        for size in reversed(near):
            loop, known = _loop(tiles, size, points, sizes)
            if fits_l2(loop, known, machine) and worth(tiles, size, loop, known, machine, threads):
                return size
        for size in [n for n in near if halo <= (n + most) * _RECOMPUTED][:1]:
            return size if worth(tiles, size, *_loop(tiles, size, points, sizes), machine, threads) else None
        return None
    except KeyError:  # sizes are not known
        return None


def _places_read(e: Expression, dim: str) -> int:
    """How many places along a dimension a point reads, in all arrays."""
    return len(
        {(a.buffer, *(i.constant for i in a.index if dim in i.names)) for a in e.inp_view if dim in e.varying(a)}
    )


def _loop(tiles: Tiles, size: int, points: int, sizes: Mapping[str, int]) -> tuple[Together, Mapping[str, int]]:
    """The loop over tiles, and the sizes with how many there are."""
    made = replace(tiles, size=size)
    return made.together(), {**sizes, made.definition.name: -(-points // size)}


def _worth(
    tiles: Tiles, size: int, loop: Together, sizes: Mapping[str, int], machine: Machine, threads: int
) -> bool:  # fmt: skip
    """Whether nothing is used again that blocks of a step's own would keep near, and the tiles save time."""
    if not all(reads_once(e, loop.dim.name) for e in loop.body if isinstance(e, Expression)):
        return False
    return apart(loop, sizes, machine, threads) is None and _saves_more(tiles, size, loop, sizes, machine, threads)


def _saves_more(
    tiles: Tiles, size: int, loop: Together, sizes: Mapping[str, int], machine: Machine, threads: int
) -> bool:  # fmt: skip
    """Whether arrays that stay near a core save more cycles than tiles cost: halos, shorter loops."""
    price = prices(machine, threads)
    bits = max(b.type.bits for e in tiles.steps for b in e.buffers)
    own, shared = bytes_of_point(loop, sizes)
    near = own * loop.dim.extent.evaluate(sizes) + shared <= machine.capacity_bytes("L3")
    cost = 0.0
    for e, more in zip(tiles.steps, tiles.recomputed):
        cycles = instructions(ExpressionRun(e, 1, sizes)) * bits / machine.vector_bits * price.operation
        cost += (more / size + (_HIDES_L3 if near else _SHORTER_LOOPS)) * cycles
    moved = sum(a.type.size_bytes * prod(max(0, n.evaluate(sizes)) for n in a.shape) for a in tiles.local.values())
    return cost <= _WRITTEN_AND_READ * moved / price.stalls["L3" if near else "MM"]
