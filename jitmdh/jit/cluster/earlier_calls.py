"""What earlier calls have found: plans, for calls of the same program on arrays of the same sizes in the same blocks;
ranges that data say, for calls with the same blocks, as long as workers keep them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from weakref import ref

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.nodes import Nodes
from jitmdh.mdh.partition.plan import Plan
from jitmdh.mdh.partition.ranges import Range

_MOST = 32
_LARGEST = 4096  # tasks of a plan that is kept
_MOST_RANGES = 1024
_PATIENCE = 1.0  # s, for some bytes that a worker has
_plans: dict[object, _KnownPlan] = {}
"""In the order in which they were used; each access is one of the interpreter's own, so threads need no lock."""
_ranges: dict[object, _KnownRanges] = {}
"""In the same order."""


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


@dataclass
class _KnownRanges:
    """blocks: the futures of what was looked at. Others of the same names may be of other data. asked: a future, too;
    None: it failed, or the ranges are there."""

    blocks: tuple[Any, ...]
    asked: Any
    found: tuple[Range, ...] | None = None

    def look(self) -> tuple[Range, ...] | None:
        if self.asked is not None and self.asked.done():
            with suppress(Exception):  # whatever it is, who needs these ranges meets it
                self.found = tuple(self.asked.result(timeout=_PATIENCE))
            self.asked = None
        return self.found


def known_ranges(key: object, blocks: Sequence[Any], ask: Callable[[], Any]) -> tuple[Range, ...] | None:
    """Ranges that blocks on workers say; None where they are not known yet: then a later call may know them. blocks:
    futures, or None for blocks that no worker keeps; ask: gives a future of the ranges."""
    if any(b is None or b.status != "finished" or b.client.asynchronous for b in blocks):
        return None
    known = _ranges.pop(key, None)
    if known is None or any(old() is not new for old, new in zip(known.blocks, blocks)):
        known = _KnownRanges(tuple(map(ref, blocks)), ask())
    _ranges[key] = known
    for old in list(_ranges)[:-_MOST_RANGES]:
        _ranges.pop(old, None)
    return known.look()
