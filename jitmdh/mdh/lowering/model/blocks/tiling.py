"""A few numbers that say what blocks, threads and copies do, and the configuration that they stand for."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.blocks import DEVICE, GRIDS, THREADS, shared_region

OUTER, INNER, POINTS = "DEV", "SHR", "REG"


@dataclass(frozen=True, slots=True)
class Tiling:
    """fast, slow: dimensions that threads share, and in how many; neighbouring threads are neighbours along `fast`.
    first, second: dimensions of which a thread has several points. step, length: a dimension that collapses, and how
    much of it threads go through together; copied: numbers of the inputs that are in shared memory meanwhile; split: a
    dimension that collapses, and how many blocks share it; wide: how many of a thread's points along a dimension that
    remains are neighbours. tiles: copies of each input that a block holds at a time, all but one of them on their way.
    waits: whether what blocks share waits for the last of them to combine it, else a second grid does.
    """

    fast: tuple[str, int] = ("", 1)
    slow: tuple[str, int] = ("", 1)
    first: tuple[str, int] = ("", 1)
    second: tuple[str, int] = ("", 1)
    step: tuple[str, int] = ("", 1)
    copied: frozenset[int] = frozenset()
    split: tuple[str, int] = ("", 1)
    wide: int = 1
    tiles: int = 1
    waits: bool = False

    def threads(self, dim: str) -> int:
        return _of(dim, self.fast, self.slow)

    def points(self, dim: str) -> int:
        return _of(dim, self.first, self.second)

    def changed(self, field: str, value: tuple[str, int]) -> Tiling:
        """With another dimension, or number, in one of the fields."""
        match field:
            case "fast":
                return replace(self, fast=value)
            case "slow":
                return replace(self, slow=value)
            case "first":
                return replace(self, first=value)
            case "second":
                return replace(self, second=value)
            case "step":
                return replace(self, step=value)
        return replace(self, split=value)

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.fast[1] * self.slow[1]


def _of(dim: str, *given: tuple[str, int]) -> int:
    total = 1
    for name, n in given:
        total *= n if name == dim else 1
    return total


def configuration(p: Problem, t: Tiling) -> Configuration:
    """Blocks outermost, then loops over what collapses, with copies, then threads, whose points are strided: each one
    by itself, or so many neighbours together.

    Results that blocks have one by one are blocks; what collapses and has a constant extent is inside all loops.
    """
    blocks: list[tuple[Level, int]] = []
    loops, inner, threads, points = [*blocks], [*blocks], [*blocks], [*blocks]
    for dim in p.extents:
        shared, own = t.threads(dim), t.points(dim)
        whole = shared * own
        run = _run(p, t, dim)
        if own > run > 1:
            points.insert(0, (Level(INNER, dim), shared * run))
        if own > 1:
            points.append((Level(POINTS, dim), shared if run == 1 else 1))
        if shared > 1:
            threads.append((Level(THREADS, dim), run))
        if dim in p.remaining:
            blocks.append((Level(GRIDS, dim), whole))
            continue
        length = max(t.step[1], 1) * whole if dim == t.step[0] else whole
        shared_by_blocks = dim == t.split[0]
        if shared_by_blocks:
            each = -(-p.extents[dim] // (t.split[1] * length)) * length
            blocks.append((Level(GRIDS, dim), each))
        if dim == t.step[0]:
            loops.append((Level(OUTER, dim), length))
            inner.append((Level(INNER, dim), whole))
        elif _has_loop(p, t, dim):
            loops.insert(0, (Level(OUTER, dim), whole))
    threads.sort(key=lambda level: level[0].dim == t.fast[0])
    sizes = dict([*blocks, *loops, *inner, *threads, *points])
    order = tuple(sizes)
    at = next((level for level in reversed(order) if level.layer == OUTER), None) if t.step[0] else None
    at = at or next((level for level in reversed(order) if level.layer == GRIDS), None)
    copied = sorted(t.copied) if at is not None else []
    waiting = [level for level in order if level.layer == GRIDS and level.dim == t.split[0] and t.waits]
    region = shared_region(t.tiles if at is not None and at.layer == OUTER else 1)
    return Configuration(
        part_size=tuple(sizes.items()),
        decomposition_order=order,
        scalar_order=order,
        recomposition_order=order,
        input_region=tuple((n, at, region) for n in copied if at is not None),
        output_region=tuple((level, DEVICE) for level in waiting),
    )


def _run(p: Problem, t: Tiling, dim: str) -> int:
    """How many points of a thread are neighbours. Runs that are strided are inside of a loop over what collapses."""
    own = t.points(dim)
    if t.wide == 1 or dim not in p.remaining or t.threads(dim) == 1 or own % t.wide:
        return 1
    return t.wide if own == t.wide or any(_has_loop(p, t, d) for d in p.collapsed) else 1


def _has_loop(p: Problem, t: Tiling, dim: str) -> bool:
    return dim in (t.step[0], t.split[0]) or t.threads(dim) * t.points(dim) > 1 or p.constant_extent(dim) is None
