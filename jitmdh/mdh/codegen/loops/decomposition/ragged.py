"""Loops whose bounds the data of a call decide: read once, and looked at before anything is read with them.

    begin, end = indptr[i], indptr[i + 1]
    length = end - begin if 0 ≤ begin and end ≤ data.shape[0] else 0       for data[p], p in range(begin, end)

The checks of the call have found that rows lie inside their arrays. Another thread may have written to the bounds
since: then a row has no elements, rather than elements outside of an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from jitmdh.base.dtype import int64, uint64
from jitmdh.mdh.algebra.expr import Dim, Expression
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import NestPosition
from jitmdh.mdh.codegen.microkernel.builder import MicroKernelBuilder
from jitmdh.mdh.kernel.arithmetic import add, both, compare, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.ir import Apply, Statement, Value

Subscript = tuple[Affine, Affine]
"""And the extent of its axis."""


def in_row(
    dim: Dim, expression: Expression, scope: Scope, state: NestPosition, loop: Callable[[NestPosition], list[Statement]]
) -> list[Statement]:
    """`loop` over the row of `dim` at `state`: the numbers from data that hold for all of it are read before."""
    out: list[Statement] = []
    tile = MicroKernelBuilder(scope, state.tile, {}, out)
    single = {name for name, t in state.tile.items() if t.count == t.lanes == 1}
    subscripts = dict.fromkeys(_moving(expression, dim, scope))
    used = {n for index in (dim.extent, *(i for i, _ in subscripts)) for n in index.names}
    names: dict[str, Value] = {}
    for number in expression.indirect:
        fixed = scope.indirect[number.name][1] <= single
        if number.extent is None and number.name in used and fixed and number.name not in scope.fixed:
            names[number.name] = tile.addresses.data.indirect(number.name, (), {})
    with scope.fixing(names):
        length = tile.bound("length", tile.addresses.index_value(dim.extent, {}))
        inside = _inside(dim, expression, scope, state, length, subscripts)
        good = _good(dim, expression, scope, inside, length)
        count = maximum(length, integer(0)) if inside else _exact_count(dim, tile, length)
        if good is not None:
            count = Apply("select", (tile.bound("inside", good), count, integer(0)), int64)
        end = tile.bound(f"{dim.name}_end", count)
        with scope.knowing_inside((i, e) for i, (_, extents) in inside.items() for e in extents):
            out += loop(replace(state, ranges={**state.ranges, dim.name: (integer(0), end)}))
    return out


def _exact_count(dim: Dim, tile: MicroKernelBuilder, length: Value) -> Value:
    """How many iterations there are, of a row that leads into no array: of ends that are too far apart, the most."""
    left, right = (tile.addresses.index_value(side, {}) for side in dim.extent.sides)
    many = Apply("select", (compare("lt", length, integer(0)), integer(2**63 - 1), length), int64)
    return Apply("select", (compare("gt", left, right), many, integer(0)), int64)


def _inside(
    dim: Dim, expression: Expression, scope: Scope, state: NestPosition, length: Value, subscripts: Iterable[Subscript]
) -> dict[Affine, tuple[tuple[Value, Value], list[Affine]]]:
    """The ends of the row along each subscript that is known by now, and the extents that it must not leave."""
    found: dict[Affine, tuple[tuple[Value, Value], list[Affine]]] = {}
    for index, extent in subscripts:
        ends = _ends(index, dim, expression, scope, state, length)
        if ends is not None:
            found.setdefault(index, (ends, []))[1].append(extent)
    return found


def _good(
    dim: Dim, expression: Expression, scope: Scope,
    inside: Mapping[Affine, tuple[tuple[Value, Value], list[Affine]]], length: Value,
) -> Value | None:  # fmt: skip
    """Whether the row is inside, if it has elements.

    Seen without a sign, negative numbers are large ones: of subscripts that go up one by one, low ≤ high < extent says
    that there are as many as there seem to be.
    """
    numbers = [n for n in expression.indirect if n.extent is not None and dim.name in scope.indirect[n.name][1]]
    needed = dict.fromkeys(n.extent for n in numbers if n.extent is not None)
    some: Value | None = None
    for extent in needed:  # of an axis that is empty, no subscript is good
        some = both(some, compare("gt", scope.affine(extent, {}), integer(0)))
    good: Value | None = None if inside else some
    for index, ((low, high), extents) in inside.items():
        room: Value | None = None
        for extent in extents:
            size = scope.affine(extent, {})
            room = size if room is None else minimum(room, size)
        assert room is not None
        if some is not None:  # the same for all rows, like the extents
            room, some = Apply("select", (some, room, integer(0)), int64), None
        good = both(good, _below("lt", high, room))
        if index.coefficient(dim.name) == 1:
            good = both(good, _below("le", low, high))
        else:
            good = both(both(good, _below("lt", low, room)), compare("le", length, room))
    return good


def _below(op: str, left: Value, right: Value) -> Value:
    return compare(op, *(Apply("cast", (v,), uint64) for v in (left, right)))


def _moving(expression: Expression, dim: Dim, scope: Scope) -> Iterator[Subscript]:
    """Subscripts that `dim` moves, and the extents of their axes."""
    for access in (*expression.reads, *expression.out_view):
        for index, extent in zip(access.index, scope.shapes.get(access.buffer, ())):
            if dim.name in index.names:
                yield index, extent


def _ends(
    index: Affine, dim: Dim, expression: Expression, scope: Scope, state: NestPosition, length: Value
) -> tuple[Value, Value] | None:
    """The least and the greatest subscript in the row; None where that is not known yet."""
    low: Value = integer(index.constant)
    high: Value = low
    ragged = {d.name for d in expression.ragged} - {dim.name}
    for name, factor in index.terms:
        known = _range(name, dim, ragged, scope, state, length)
        if known is None:
            return None
        first, last = (multiply(v, integer(factor)) for v in (known if factor > 0 else known[::-1]))
        low, high = add(low, first), add(high, last)
    return low, high


def _range(
    name: str, dim: Dim, ragged: set[str], scope: Scope, state: NestPosition, length: Value
) -> tuple[Value, Value] | None:  # fmt: skip
    """The least and the greatest value of one name in the row; None where that is not known yet."""
    if name == dim.name:
        return integer(0), subtract(length, integer(1))
    if name in scope.fixed:
        return scope.fixed[name], scope.fixed[name]
    if name in scope.indirect or (name in ragged and name not in state.tile):
        return None
    if name in state.tile and state.tile[name].count * state.tile[name].lanes == 1:
        return state.tile[name].base, state.tile[name].base
    if name in state.ranges:
        begin, end = state.ranges[name]
        return begin, subtract(end, integer(1))
    return (scope.sizes[name], scope.sizes[name]) if name in scope.sizes else None
