"""Inputs in several blocks of which all parts take the same: put together once, and sent to each worker as one block.

w = M @ v, M in 100 blocks of rows, v in 20     one part brings v together, 100 take it, instead of 20 pieces each
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2, prod

from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.nodes import Costs, Nodes
from jitmdh.mdh.partition.plan import ChosenCut, Copy, Filled, Version
from jitmdh.mdh.partition.planning.cut import ExpressionCut

_FEWEST = 8  # parts; of fewer, each worker has one or two, and the workers are not even asked for
_EDGE = 0.05  # what a block that a part takes costs the scheduler, in tasks


def share_inputs(cut: ExpressionCut, costs: Costs) -> None:
    """Replaces them in what the expression reads, where that costs less."""
    counts = cut.counts()
    parts = prod(counts.values())
    if parts < _FEWEST:
        return
    for buffer in list(_same_for_all(cut, {n for n, count in counts.items() if count > 1})):
        version, nodes = cut.before[buffer], costs.nodes()
        gather = version.box(tuple((0, n) for n in version.grid.shape))
        each, once = _seconds(nodes, gather.bytes, len(gather.pieces), parts)
        if once < each:
            (block,) = cut.plan.add(Copy(gather), 1)
            grid = Grid.whole(gather.shape)
            cut.before = {**cut.before, buffer: Version(grid, version.type, {(0,) * len(gather.shape): block})}
            said = f"`{buffer}` is put together once, for all {parts:,} parts"
            cut.plan.choices.append(ChosenCut(cut.e.name, said, each, once))


def _same_for_all(cut: ExpressionCut, varying: set[str]) -> Iterator[str]:
    """Arrays in several blocks that are read alike whatever block of these dimensions it is. What ranges that data say
    are read of is another part of it for each."""
    apart = varying | {d.name for d in cut.e.ragged}
    for buffer in dict.fromkeys(a.buffer for a in cut.e.reads):
        version = cut.before.get(buffer)
        names = {n for a in cut.e.reads if a.buffer == buffer for i in a.index for n in i.names}
        if version is None or version.grid.count < 2 or names & apart:
            continue
        if not any(isinstance(block, Filled) for block in version.blocks.values()):
            yield buffer


def _seconds(nodes: Nodes, size: int, pieces: int, parts: int) -> tuple[float, float]:
    """What it takes if each part puts it together, and if one does for all: then it is handed on from worker to
    worker."""
    others = nodes.workers - 1
    missing = size * others / nodes.workers / nodes.bandwidth
    gathered = missing + min(pieces, others) * nodes.latency
    copied = nodes.pace.seconds(size, size)
    each = gathered + ceil(parts / nodes.slots) * copied + parts * pieces * _EDGE * nodes.overhead
    handed_on = ceil(log2(nodes.workers)) * (size / nodes.bandwidth + nodes.latency)
    once = gathered + copied + nodes.overhead * (1 + pieces * _EDGE + parts * _EDGE) + handed_on
    return each, once
