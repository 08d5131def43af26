"""What does not stay in the caches: results that are written past them, inputs that main memory is asked for ahead."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.lowering.traffic import Problem
from jitmdh.mdh.machine.model import Machine


def no_streaming(p: Problem, machine: Machine, lane: str | None) -> str:
    """Why results should not go past the caches; empty where they should: large, written once, along the lanes."""
    if lane is None or lane in p.collapsed:
        return "neighbouring results are not in the lanes of one vector"
    if machine.vector_bits < 256:
        return f"vectors of {machine.vector_bits} bits gain nothing by it"
    if p.expression.indirect:
        return "data decide what is read or written"
    for access in p.expression.out_view:
        if access.buffer in reads_results(p.expression):
            return f"{access.buffer} is read, too"
        if access.guard:
            return f"{access.buffer} is written under a condition"
        if p.lane_kind(access, lane) != "contiguous":
            return f"{access.buffer} is not written in the order of memory"
        if p.bytes_of(access) < machine.capacity_bytes("L3"):
            return f"{access.buffer} fits the L3 cache"
    return ""


def reads_results(expression: Expression) -> set[str]:
    """Buffers that are written and read."""
    return {a.buffer for a in expression.reads} & {a.buffer for a in expression.out_view}


# Vectors one behind the other from which on code generation puts whole cache lines together.
_SHORTEST_RUN = 4
# Cycles: of a result that takes its line into the caches and out again, and of the lines at the two ends of a run.
_THROUGH_CACHES, _ENDS = 12.0, 60.0


def run_length(p: Problem, lane: str | None, lanes: int, counts: Mapping[str, int]) -> int:
    """How many vectors of a register tile's results lie one behind the other in memory."""
    length = 1
    for n, index in enumerate(reversed(p.expression.out_view[0].index)):
        dims = [d for d in index.names if d in p.extents]
        if len(dims) != 1 or index.coefficient(dims[0]) != 1 or (dims[0] == lane) != (n == 0):
            break
        steps = counts.get(dims[0], 1)
        length *= steps
        if steps * (lanes if dims[0] == lane else 1) != p.extents[dims[0]]:
            break
    return length


def streams_in_runs(p: Problem, machine: Machine, lane: str | None, lanes: int, counts: Mapping[str, int]) -> bool:
    """Whether results that begin anywhere in a cache line should go past the caches. Requires no `no_streaming`."""
    run = run_length(p, lane, lanes, counts)
    return machine.vector_bits == 512 and run >= _SHORTEST_RUN and _ENDS / run < _THROUGH_CACHES


def far_store_cycles(p: Problem, machine: Machine, lane: str | None, lanes: int, counts: Mapping[str, int]) -> float:
    """What main memory adds to the store of a vector. Requires no `no_streaming`."""
    if streams_in_runs(p, machine, lane, lanes, counts):
        return _ENDS / run_length(p, lane, lanes, counts)
    return _THROUGH_CACHES


def asked_ahead(
    p: Problem, machine: Machine, lane: str | None, loops: Sequence[str], copied: Container[int]
) -> list[int]:
    """Inputs to ask main memory for before they are read: large ones, read in the order of memory.

    loops: dimensions of the loops over register tiles; what the innermost one walks along is asked for.
    """
    if lane is None or not loops or loops[-1] != lane:
        return []
    return [
        n
        for n, access in enumerate(p.expression.inp_view)
        if n not in copied
        and p.lane_kind(access, lane) == "contiguous"
        and p.bytes_of(access) > machine.capacity_bytes("L3")
    ]
