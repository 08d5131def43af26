"""Plans of earlier calls, for calls of the same program on arrays of the same sizes in the same blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.nodes import Nodes
from jitmdh.mdh.partition.plan import Plan

_MOST = 32
_LARGEST = 4096  # tasks of a plan that is kept
_plans: dict[object, _KnownPlan] = {}
"""In the order in which they were used; each access is one of the interpreter's own, so threads need no lock."""


@dataclass(frozen=True)
class _KnownPlan:
    """nodes: what the plan was made for; None: it rests on no figures of these."""

    plan: Plan
    nodes: Nodes | None


def planned(
    program: Program,
    sizes: Mapping[str, int],
    grids: Mapping[str, Grid | None],
    nodes: Callable[[], Nodes],
    make: Callable[[Callable[[], Nodes]], Plan],
) -> Plan:
    """A plan that nobody changes. nodes: what it is to run on, asked where that matters; make: given what asks it."""
    places = (program.loc, *(e.loc for e in expressions(program.steps)))  # of which equal programs may have others
    key = (program, places, tuple(sorted(sizes.items())), tuple(sorted(grids.items(), key=lambda g: g[0])))
    known = _plans.pop(key, None)
    if known is None or (known.nodes is not None and known.nodes != nodes()):
        asked: list[Nodes] = []

        def ask() -> Nodes:
            if not asked:
                asked.append(nodes())
            return asked[0]

        plan = make(ask)
        known = _KnownPlan(plan, asked[0] if asked else None)
    if len(known.plan.tasks) <= _LARGEST:
        _plans[key] = known
    for old in list(_plans)[:-_MOST]:
        _plans.pop(old, None)
    return known.plan
