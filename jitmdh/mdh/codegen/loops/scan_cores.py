"""Prefix sums over cores: each part is reduced, the totals are scanned, each part is scanned from its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from jitmdh.mdh.algebra.combine import PointWise, PrefixSum
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.decomposition.core_parts import CoreParts
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition, Then, allocated
from jitmdh.mdh.codegen.loops.recomposition.accumulators import Accumulators
from jitmdh.mdh.codegen.loops.recomposition.recompose import plan_private
from jitmdh.mdh.codegen.loops.scan import scan_totals
from jitmdh.mdh.kernel.arithmetic import integer, maximum, multiply, subtract
from jitmdh.mdh.kernel.ir import Fence, Name, Parallel, Statement, Value
from jitmdh.mdh.lowlevel.expr import LowLevel, Part


def scan_cores(
    nest: NestFacts,
    n: int,
    state: NestPosition,
    level: Then,
    nested: Callable[[LowLevel, Mapping[str, Range]], list[Statement]],
) -> list[Statement]:
    """The loops from level `n`, over cores, of a prefix sum: reduce the parts, scan their totals, scan each part.

    level: the loops from a level on; nested: another computation in the same scope.
    """
    part = nest.parts[n]
    before: list[Statement] = []
    core_parts = CoreParts(nest)
    tasks = core_parts.tasks(state, max(1, -part.size), before)
    parts, share = core_parts.split(part, state, tasks, before)
    kept = tuple(d for d in nest.expression.remaining if d != nest.scan)

    def within(task: Name, inside: list[Statement]) -> NestPosition:
        return replace(state, ranges={**state.ranges, part.dim: share(task, inside)})

    task = nest.scope.index("task")
    totals, buffers = plan_private(nest, task, parts, kept, state.ranges)
    rows = _rows(kept, state)
    reducing: list[Statement] = []
    inner = within(task, reducing)
    reducing += nested(_reduction(nest, totals), inner.ranges)
    work: list[Statement] = [Parallel(task, subtract(parts, integer(1)), tuple(reducing), f"COR {part.dim}: totals")]
    work += scan_totals(Accumulators(nest, replace(state, tile={}), []), totals, parts, rows)
    again = nest.scope.index("task")
    scanning: list[Statement] = []
    for access in totals:
        nest.scope.sizes[access.index[0].names[0]] = again
    inner = replace(within(again, scanning), start=totals)
    scanning += level(n + 1, inner)
    if state.to.streaming:
        scanning.append(Fence())
    work.append(Parallel(again, parts, tuple(scanning), f"COR {part.dim}"))
    return [*before, *allocated(buffers, work)]


def _rows(kept: Sequence[str], state: NestPosition) -> Value:
    """How many results the dimensions `kept` have together."""
    rows: Value = integer(1)
    for name in kept:
        begin, end = state.ranges[name]
        rows = multiply(rows, maximum(subtract(end, begin), integer(1)))
    return rows


def _reduction(nest: NestFacts, totals: tuple[Access, ...]) -> LowLevel:
    """The same computation with the prefix sum's dimension collapsed, its results in `totals`."""
    assert nest.operator is not None
    md_hom = nest.expression.md_hom
    combine = tuple(PointWise(c.operator) if isinstance(c, PrefixSum) else c for c in md_hom.combine)
    reduced = replace(md_hom, combine=combine)
    expression = replace(nest.expression, md_hom=reduced, finish=None, out_view=totals)
    lanes = nest.operator.commutative
    parts = [p for p in nest.low.parts if p.way != "core" and (lanes or p.dim != nest.scan)]
    if not lanes:
        assert nest.scan is not None
        at = next(m for m, p in enumerate(nest.low.parts) if p.dim == nest.scan and p.way == "loop")
        parts.insert(sum(1 for p in nest.low.parts[:at] if p.way != "core"), Part("L1", nest.scan, 1, "loop"))
    return LowLevel(expression, tuple(parts))
