"""Loops over tiles of which a condition leaves some out: empty tiles are skipped, full ones need no condition.

for i: for k if i - k >= 0:      for i, 4 at a time:
    f(i, k)                          for k in range(0, full, 8):         all of these 4 × 8 points take part
                                     for k in range(full, needed, 8):    the condition is looked at, point by point
                                                                         behind `needed` no point takes part
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestFacts, NestPosition
from jitmdh.mdh.kernel.arithmetic import add, divide, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.ir import Literal, Statement, Value


@dataclass(frozen=True, slots=True)
class LoopPiece:
    """A part of a loop over tiles. holding: the conditions that all points of its tiles meet."""

    range: Range
    holding: tuple[Affine, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a loop is cut by conditions, each of which is met below some place (or from some place on).

    most: up to where (from where on) some point of a tile may meet it, None where nothing may be skipped; all: up to
    where (from where on) all points do.
    """

    guard: Affine
    below: bool
    most: Value | None
    all: Value


def cuts(nest: NestFacts, n: int, state: NestPosition) -> tuple[Cut, ...]:
    """The conditions that decide at loop number `n`, as all other dimensions that they mention have been tiled."""
    e = nest.expression
    if nest.scan is not None or e.procedures or nest.parts[n].layer != "L1":
        return ()
    found = (_cut(nest, n, state, g) for g in e.md_hom.guard if not _tiled_later(nest, n, state, g))
    return tuple(cut for cut in found if cut is not None)


def needed_blocks(nest: NestFacts, n: int, state: NestPosition, out: list[Statement]) -> Range:
    """Where loop number `n`, over blocks of results, begins and ends, so that none is left out in which a point takes
    part: for others, no copies are made."""
    part = nest.parts[n]
    begin, end = state.ranges[part.dim]
    e, collapsed = nest.expression, {name for group in nest.groups for name in group.names}
    if nest.scan is not None or e.procedures or part.dim in collapsed:
        return begin, end
    deciding = (_cut(nest, n, state, g) for g in e.md_hom.guard if not collapsed.intersection(g.names))
    found = [cut for cut in deciding if cut is not None]
    first = begin
    for cut in found:
        if not cut.below and cut.most is not None:
            first = maximum(first, cut.most)
    if first is not begin:
        distance = multiply(divide(subtract(minimum(first, end), begin), part.size), integer(part.size))
        first = nest.scope.named(f"{part.dim}_from", add(begin, distance), out)
    return first, needed_end(found, end)


def _cut(nest: NestFacts, n: int, state: NestPosition, guard: Affine) -> Cut | None:
    dim, scope = nest.parts[n].dim, nest.scope
    factor = guard.coefficient(dim)
    unknown = any(name in scope.indirect or name in nest.ragged for name in guard.names)
    if factor not in (1, -1) or unknown:
        return None
    low: Value = integer(guard.constant)
    high: Value = low
    for name, c in guard.terms:
        if name == dim:
            continue
        first = last = scope.sizes.get(name)
        if name in state.ranges:
            first, end = state.ranges[name]
            last = subtract(end, integer(1))
        if first is None or last is None:
            return None
        ends = [multiply(v, integer(c)) for v in ((first, last) if c > 0 else (last, first))]
        low, high = add(low, ends[0]), add(high, ends[1])
    skips = _skips(nest, n, guard)
    if factor < 0:
        return Cut(guard, True, add(high, integer(1)) if skips else None, add(low, integer(1)))
    return Cut(guard, False, subtract(integer(0), high) if skips else None, subtract(integer(0), low))


def _tiled_later(nest: NestFacts, n: int, state: NestPosition, guard: Affine) -> bool:
    """Whether a loop further inside goes along a dimension of the condition: it is cut there."""
    for part in nest.parts[n + 1 :]:
        begin, end = state.ranges.get(part.dim, (None, None))
        if part.dim not in guard.names or begin is None or end is None:
            continue
        length = subtract(end, begin)
        if not (isinstance(length, Literal) and length.value == part.size):
            return True
    return False


def _skips(nest: NestFacts, n: int, guard: Affine) -> bool:
    """Whether a tile without a point that takes part may be left out: nothing would be written, or nothing added.

    A tile of results whose reductions are empty is written, and partial results in memory are begun by the first part
    and completed by the last one.
    """
    collapsed = {name for group in nest.groups for name in group.names}.intersection(guard.names)
    if not collapsed:
        return True
    return len(nest.groups) == 1 and nest.parts[n].dim in collapsed and n >= nest.inner


def pieces(
    found: Sequence[Cut], nest: NestFacts, dim: str, range: Range, size: int, out: list[Statement]
) -> list[LoopPiece]:  # fmt: skip
    """`range`, a multiple of `size` long, in order: tiles at the edge, full ones, tiles at the edge."""
    begin, end = range
    scope = nest.scope

    def place(values: Sequence[Value], op: object, up: bool, otherwise: Value, hint: str) -> Value:
        """Where a tile begins next to the strictest of `values`."""
        if not values:
            return otherwise
        value = values[0]
        for other in values[1:]:
            value = op(value, other)  # type: ignore[operator]
        inside = minimum(maximum(value, begin), end)
        distance = add(subtract(inside, begin), integer(size - 1 if up else 0))
        return scope.named(f"{dim}_{hint}", add(begin, multiply(divide(distance, size), integer(size))), out)

    lower, upper = [c for c in found if not c.below], [c for c in found if c.below]
    first = place([c.most for c in lower if c.most is not None], maximum, False, begin, "from")
    last = place([c.most for c in upper if c.most is not None], minimum, True, end, "needed")
    whole = place([c.all for c in lower], maximum, True, begin, "whole")
    stop = place([c.all for c in upper], minimum, False, end, "stop")
    if lower:
        whole = scope.named(f"{dim}_whole", minimum(whole, last), out)
    if upper and lower:
        stop = scope.named(f"{dim}_stop", maximum(whole, stop), out)
    holding = tuple(c.guard for c in found)
    edges = [LoopPiece((first, whole))] if lower else []
    edges.append(LoopPiece((whole, stop), holding))
    return [*edges, LoopPiece((stop, last))] if upper else edges


def needed_end(found: Sequence[Cut], end: Value) -> Value:
    """Up to where a loop to `end` has to go."""
    for cut in found:
        if cut.below and cut.most is not None:
            end = minimum(end, cut.most)
    return end
