"""Arg-extrema whose points come in the order that decides between equal scores: only a better one wins.

    wins = better or (equal and earlier)   →   wins = better,   from (worst score, first place) on

That the worst score is at the first place is true, or it is not, and then the score there is better and wins.
"""

from __future__ import annotations

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.scalar import IndexValue, Operation, ScalarFunction
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.kernel.ir import Literal, Value


@dataclass(frozen=True, slots=True)
class Ascending:
    """function: takes in the next point; start: a state before the first one."""

    function: ScalarFunction
    start: tuple[Value, ...]


def ascending(nest: NestFacts, state: NestPosition) -> Ascending | None:
    """How the points of ranges that are not empty are taken in; None: as of any order."""
    e, operator = nest.expression, nest.operator
    if operator is None or operator.score is None or operator.identity is None or len(nest.groups) > 1:
        return None
    if e.guard or nest.ragged or state.partial is not None or nest.low.in_blocks or nest.scope.machine.warps:
        return None
    loops = [p.dim for p in nest.parts if p.way == "loop" and p.dim in nest.collapsed]
    if not loops or loops != list(nest.collapsed) or any(nest.counts[d] > 1 for d in loops[:-1]):
        return None
    places = e.md_hom.function.results[1:]
    if any(nest.lanes[d] > 1 for d in loops[:-1]) or not all(isinstance(p, IndexValue) for p in places):
        return None
    corner = {d: state.ranges[d][0] for d in loops}
    start: list[Value] = [Literal(operator.identity[0].value, operator.types[0])]
    for place in places:
        assert isinstance(place, IndexValue)
        if place.type != int64 or not set(place.index.names) <= {*loops}:
            return None
        start.append(nest.scope.affine(place.index, corner))
    ((wins, condition),) = operator.function.bindings
    if not isinstance(condition, Operation) or condition.op != "or":
        return None
    better = condition.operands[0]
    return Ascending(
        ScalarFunction(operator.function.parameters, ((wins, better),), operator.function.results), tuple(start)
    )
