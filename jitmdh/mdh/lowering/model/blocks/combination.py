"""What it takes to combine what blocks have of the same results: by a second grid, or by the last block (R2, R3).

A second grid costs a launch. The last block costs each block two fences and an atomic operation, and it is one block
that reads the parts of a group of results: many parts, or large ones, are read faster by a grid.
"""

from __future__ import annotations

from math import ceil, prod

from jitmdh.mdh.lowering.model.blocks.geometry import Geometry
from jitmdh.mdh.lowering.model.blocks.latencies import (
    BARRIER_CLOCKS,
    CACHE_CLOCKS,
    LAUNCH_SECONDS,
    MEMORY_CLOCKS,
    SHARE_OF_L2,
    SHARED_CLOCKS,
    UNROLLED,
)

_MULTIPROCESSOR_BYTES = 64  # from the second-level cache, in a clock
_ATOMIC_CLOCKS = 2  # between two atomic operations on one number
_SECOND_THREADS, _SECOND_SHARING = 256, 8  # of the second grid: of a block that has one result, of one that has more


def combination_seconds(g: Geometry, combining: int) -> float:
    """Behind the blocks' own work. combining: threads of a block that have parts of the same results."""
    parts = prod(n for dim, n in g.blocks.items() if dim in g.p.collapsed)
    if parts == 1 and not g.low.stages:
        return 0.0
    gpu, state = g.gpu, sum(t.size_bytes for t in g.p.groups[0].operator.types)
    results = prod(g.extent(d) for d in g.p.remaining)
    moved = 2 * parts * results * state / (SHARE_OF_L2 * gpu.l2_clock_bytes)
    if not g.low.stages:
        rounds = parts / (_SECOND_THREADS if results == 1 else _SECOND_SHARING)
        return LAUNCH_SECONDS + (moved + MEMORY_CLOCKS + rounds * CACHE_CLOCKS / UNROLLED) / gpu.clock_hz
    groups = prod(n for dim, n in g.blocks.items() if dim in g.p.remaining)
    at_once = ceil(groups / gpu.multiprocessors)
    read = at_once * parts * results / groups * state / _MULTIPROCESSOR_BYTES
    told = 2 * MEMORY_CLOCKS + CACHE_CLOCKS + parts * _ATOMIC_CLOCKS
    rounds = ceil(parts / combining) * max(1, g.results // UNROLLED)
    summed = CACHE_CLOCKS + rounds * CACHE_CLOCKS / UNROLLED
    summed += (combining - 1).bit_length() * (BARRIER_CLOCKS + SHARED_CLOCKS)
    return (max(moved, read) + told + at_once * summed) / gpu.clock_hz
