"""Partial results of neighbours, computed by one part or several, and combined as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.partition.grids import Box, extents
from jitmdh.mdh.partition.plan import Block, Combine, Fold, Plan, ProgramCall, gathers
from jitmdh.mdh.partition.planning.phases import combination

_FAN_IN, _LARGE = 8, 2**20  # partial results that one task combines: two, where they have so many bytes or more
_ENOUGH = 4  # blocks of a result that are computed at the same time
_MOST_FOLDED = 2**30  # bytes that the partial results of one task take
_WORTH_SENDING = 0.25  # a partial result, as part of what it comes from; those that are smaller are sent themselves


def fan_in(size: float) -> int:
    """How many partial results of so many bytes one task combines."""
    return _FAN_IN if size < _LARGE else 2


def neighbours(blocks: int, size: float, taken: float) -> int:
    """How many partial results of `size` bytes one part computes, each from `taken` bytes, where a result has so many
    blocks: several, if these are enough to keep workers busy, and partial results as large as what they come from."""
    if blocks < _ENOUGH or size < _WORTH_SENDING * taken:
        return 1
    return fitting(_FAN_IN, taken)


def fitting(count: int, taken: float) -> int:
    """As many, or fewer, if they would take too much memory."""
    return max(1, min(count, int(_MOST_FOLDED // max(1, taken))))


def computed_together(calls: Sequence[ProgramCall], operator: Operator, box: Box, blocks: int, together: int) -> int:
    """How many partial results of one of so many blocks of the result one part computes. together: if that is known;
    0: as many as `neighbours` says."""
    taken = max(sum(g.bytes for g in gathers(call)) for call in calls)
    return fitting(together, taken) if together else neighbours(blocks, state_bytes(operator, box), taken)


def folded(
    plan: Plan, name: str, calls: Sequence[ProgramCall], operator: Operator, box: Box, blocks: int, together: int
) -> list[tuple[Block, ...]]:
    """Partial results of one of so many blocks of the result; see `computed_together`."""
    count = computed_together(calls, operator, box, blocks, together)
    if any(c.windows for c in calls) or count < 2:
        return [plan.add(call, operator.arity) for call in calls]
    program = combination(name, operator, len(box))
    runs = [tuple(calls[n : n + count]) for n in range(0, len(calls), count)]
    return [plan.add(run[0] if len(run) == 1 else Fold(run, program), operator.arity) for run in runs]


def tree(plan: Plan, name: str, parts: list[tuple[Block, ...]], operator: Operator, box: Box) -> tuple[Block, ...]:
    """Partial results combined, neighbours first: large ones in pairs, which are combined where they are."""
    program = combination(name, operator, len(box))
    count = fan_in(state_bytes(operator, box))
    while len(parts) > 1:
        runs = [parts[n : n + count] for n in range(0, len(parts), count)]
        parts = [r[0] if len(r) == 1 else plan.add(Combine(program, tuple(r)), operator.arity) for r in runs]
    return parts[0]


def state_bytes(operator: Operator, box: Box) -> int:
    """Of a partial result."""
    return prod(extents(box)) * sum(t.size_bytes for t in operator.types)
