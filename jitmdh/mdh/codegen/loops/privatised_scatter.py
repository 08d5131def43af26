"""Scatters over cores: each part updates a copy of the output of its own; the copies are combined in the end.

    parallel for part: private[part, …] = identity;  private[part, bins[i]] ⊕= w[i] for the part's i
    hist[c] = hist[c] ⊕ private[0, c] ⊕ private[1, c] ⊕ …     another computation of the same kind

Where the output has more cells than there are points to a part, copies do not pay: one core updates it directly. On
GPUs, blocks of threads update one copy by atomic operations where the operator has them (`blocks/shared_scatter`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator, PointWise, cc
from jitmdh.mdh.algebra.expr import Access, Buffer, Dim, Expression, Finish, MdHom
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable, substitute
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.blocks.shared_scatter import BlockScatter, has_atomics
from jitmdh.mdh.codegen.loops.decomposition.core_parts import CoreParts, Share
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import Destination, NestPosition, unless_failed
from jitmdh.mdh.kernel.arithmetic import (
    add,
    both,
    compare,
    divide,
    integer,
    maximum,
    minimum,
    multiply,
    spread,
    subtract,
)
from jitmdh.mdh.kernel.ir import Apply, For, If, Literal, Parallel, Scratch, Statement, Store, Value, View
from jitmdh.mdh.lowlevel.expr import LowLevel, Part


class ScatterNest(Protocol):
    """The nest that is being written, as far as this module goes."""

    expression: Expression
    parts: tuple[Part, ...]
    scope: Scope
    core_parts: CoreParts

    def level(self, n: int, state: NestPosition) -> list[Statement]: ...

    def one_by_one(self, ranges: Mapping[str, Range], to: Destination) -> list[Statement]: ...

    def nested(self, low: LowLevel) -> list[Statement]: ...

    def checked(self, steps: list[Statement]) -> list[Statement]: ...


# Copies per core of small outputs, and the bytes that they may take together: a part of the nearest cache.
_COPIES = 8
_NEAR_BYTES = 24 << 10
# Points for each cell that make a copy worth its beginning and its end.
_POINTS_PER_CELL = 2
_LINE = 128
# With 2³⁰ cells and as many for negative subscripts, 31 bits choose one.
_MOST_CELLS = 2**30


@dataclass(frozen=True, slots=True)
class _Copies:
    """Copies of the output. share: where a part lies; of one part: `each`, the first `many` of them `shift` elements
    apart; all are `apart`.

    halves: 2 where copies have cells for negative subscripts, too: those count from the end, so they are a copy like
    any other. Such copies have `span` cells, a power of two: those from 0 on, and, at their end, those for negative
    subscripts. The lower bits of any number are a cell then, the right one of every subscript: none has to be looked
    at, and none leaves the copy that another thread changes meanwhile; cells in between are not read.
    """

    buffer: Buffer
    cells: Value
    halves: int
    span: Value
    parts: Value
    share: Share
    each: Value
    apart: Value
    shift: Value


def scatter_cores(nest: ScatterNest, n: int, state: NestPosition) -> list[Statement]:
    """The loops from level `n`, over cores, of dimensions whose points may meet in one cell."""
    part, (access,) = nest.parts[n], state.to.out_view
    buffer = nest.expression.buffer(access.buffer)
    size = max(1, buffer.type.size_bytes)
    out: list[Statement] = []
    cells = nest.scope.named("cells", _cells(nest, buffer), out)
    if has_atomics(nest, n, state):
        points = _points(nest, state, out)
        return [*out, *_by_blocks(nest, buffer, BlockScatter(nest, state, cells, points))]
    halves, span = 1, cells
    if (plain := _unwrapped(nest, access)) is not None:
        halves, span = 2, _power_of_two(nest.scope, multiply(cells, integer(2)), out)
        nest.scope.as_read[plain] = nest.scope.named("mask", subtract(span, integer(1)), out)
    points = _points(nest, state, out)
    line = max(1, _LINE // size)
    room = add(divide(span, line), integer(2))
    apart = nest.scope.named("apart", multiply(room, integer(line)), out)
    many = compare("ge", points, multiply(cells, integer(4 * _COPIES)))
    near = both(many, compare("le", multiply(cells, integer(size * _COPIES)), integer(_NEAR_BYTES)))
    assert near is not None
    each = nest.scope.named("copies", Apply("select", (near, integer(_COPIES), integer(1)), int64), out)
    shift = nest.scope.named("copy_shift", Apply("select", (near, apart, integer(0)), int64), out)
    useful = Apply("udiv", (points, maximum(multiply(cells, integer(_POINTS_PER_CELL)), integer(1))), int64)
    tasks = nest.scope.named("tasks", maximum(minimum(nest.core_parts.tasks(state, 1, out), useful), integer(1)), out)
    parts, share = nest.core_parts.split(part, state, tasks, out)
    pays = both(compare("gt", multiply(parts, each), integer(1)), compare("le", cells, integer(_MOST_CELLS)))
    assert pays is not None
    copies = _Copies(buffer, cells, halves, span, parts, share, each, apart, shift)
    private = _private(nest, n, state, copies, access if plain is None else replace(access, index=(Affine.of(plain),)))
    with nest.scope.looking_at({}):
        direct = nest.checked(nest.level(n + 1, state))
    return [*out, If(pays, tuple(private), tuple(direct))]


def _points(nest: ScatterNest, state: NestPosition, out: list[Statement]) -> Value:
    """How many there are."""
    points: Value = integer(1)
    for begin, end in state.ranges.values():
        points = multiply(points, subtract(end, begin))
    return nest.scope.named("points", points, out)


def _by_blocks(nest: ScatterNest, buffer: Buffer, blocks: BlockScatter) -> list[Statement]:
    """Blocks of threads with one copy, and what it comes to added to the output."""
    scope, operator = nest.scope, blocks.scatter.operator
    name, cells = scope.fresh("sums"), _strides(nest, buffer)
    scope.strides[name], scope.types[name], scope.shapes[name] = cells, buffer.type, buffer.shape
    work = blocks.write(name)
    scope.strides[name] = (integer(0), integer(0), *cells)
    work += unless_failed(scope, _combined(nest, name, integer(1), buffer, 1, operator))
    return [Scratch(name, buffer.type, blocks.cells, tuple(work), "L2")]


def _power_of_two(scope: Scope, least: Value, out: list[Statement]) -> Value:
    """The least power of two that is `least` or more, and two at least."""
    bits = subtract(maximum(least, integer(2)), integer(1))
    for shift in (1, 2, 4, 8, 16, 32):
        bits = scope.named("bits", bits, out)
        bits = Apply("or", (bits, divide(bits, 1 << shift)), int64)
    return scope.named("span", add(bits, integer(1)), out)


def _unwrapped(nest: ScatterNest, access: Access) -> str | None:
    """A name for the subscript of a one-dimensional output that is a number from data, negative ones as they are."""
    if len(access.index) != 1 or access.index[0].terms[1:] or access.index[0].constant:
        return None
    ((name, factor),) = access.index[0].terms
    known = nest.expression.named(name)
    if known is None or known.extent is None or factor != 1 or known.function.results[0].type.kind != "i":
        return None
    plain = f"{name} as read"
    nest.scope.indirect[plain] = replace(known, name=plain), nest.expression.indirect_depends(known)
    if name in nest.scope.in_use:
        nest.scope.in_use[plain] = nest.scope.in_use[name]
    return plain


def _cells(nest: ScatterNest, buffer: Buffer) -> Value:
    count: Value = integer(1)
    for extent in buffer.shape:
        count = multiply(count, nest.scope.affine(extent, {}))
    return count


def _strides(nest: ScatterNest, buffer: Buffer) -> tuple[Value, ...]:
    """Of copies of the output, in which no cells are left out."""
    strides: list[Value] = []
    total: Value = integer(1)
    for extent in reversed(buffer.shape):
        strides.append(total)
        total = multiply(total, nest.scope.affine(extent, {}))
    return tuple(reversed(strides))


def _private(nest: ScatterNest, n: int, state: NestPosition, copies: _Copies, access: Access) -> list[Statement]:
    """Parts with copies of their own, then their combination. access: to a copy, as to the output."""
    scope, part, scatter = nest.scope, nest.parts[n], state.to.scatter
    assert scatter is not None
    buffer = copies.buffer
    name, cells = scope.fresh("private"), _strides(nest, buffer)
    scope.strides[name], scope.types[name] = (subtract(copies.span, copies.cells), copies.apart, *cells), buffer.type
    task = scope.index("task")
    inside: list[Statement] = []
    first = nest.scope.named("first", multiply(multiply(task, copies.each), copies.apart), inside)
    inside.append(_identities(nest, name, scatter.operator, first, copies))
    views = []
    base: Value = first
    for _ in range(_COPIES):
        views.append(scope.fresh(f"{name}_copy"))
        scope.strides[views[-1]], scope.types[views[-1]] = cells, buffer.type
        scope.shapes[views[-1]] = buffer.shape
        inside.append(View(views[-1], name, base))
        base = add(base, copies.shift)
    ranges = {**state.ranges, part.dim: copies.share(task, inside)}
    to = replace(state.to, out_view=(replace(access, buffer=views[0]),), scatter=replace(scatter, buffers=tuple(views)))
    inside += nest.level(n + 1, replace(state, ranges=ranges, to=to))
    comment = f"COR {part.dim}: copies of {buffer.name} for each"
    work: list[Statement] = [Parallel(task, copies.parts, tuple(inside), comment)]
    count = nest.scope.named("all_copies", multiply(copies.parts, copies.each), work)
    work += unless_failed(nest.scope, _combined(nest, name, count, buffer, copies.halves, scatter.operator))
    size = multiply(multiply(copies.parts, copies.each), copies.apart)
    return [Scratch(name, buffer.type, size, tuple(work), "L2")]


def _identities(nest: ScatterNest, name: str, operator: Operator, first: Value, copies: _Copies) -> Statement:
    """The operator's identity in all cells of a part's copies that are combined, and in a few behind them."""
    assert operator.identity is not None
    type = nest.scope.types[name]
    lanes = max(1, min(nest.scope.machine.vector_bits // type.bits, _LINE // max(1, type.size_bytes)))
    constant = operator.identity[0]
    value = spread(Literal(constant.value, constant.type), lanes)
    begin = nest.scope.index("copy")
    body: list[Statement] = []
    for _ in range(copies.halves):
        cell, start = nest.scope.index("cell"), add(begin, subtract(copies.span, copies.cells)) if body else begin
        store = (Store(name, cell, value),)
        body.append(For(cell, start, add(start, copies.cells), integer(lanes), store, "identities"))
    return For(begin, first, add(first, multiply(copies.each, copies.apart)), copies.apart, tuple(body), "copies")


def _combined(
    nest: ScatterNest, name: str, count: Value, buffer: Buffer, halves: int, operator: Operator
) -> list[Statement]:
    """Re-composition over cores: `output[c] = output[c] ⊕ private[copy 0, c] ⊕ private[copy 1, c] ⊕ …`."""
    scope = nest.scope
    extent, copy, half = scope.fresh("copies_extent"), scope.fresh("copy"), scope.fresh("half")
    scope.sizes[extent] = count
    cells = tuple(Dim(scope.fresh(f"{buffer.name}_cell"), e) for e in buffer.shape)
    places = tuple(Affine.of(d.name) for d in cells)
    state, old = Variable("state", buffer.type), Variable("old", buffer.type)
    joined = _joined(operator, old, state)
    output = Access(buffer.name, places)
    shape = (Affine((), halves), Affine.of(extent), *buffer.shape)
    expression = Expression(
        f"copies of {buffer.name}",
        (buffer, Buffer(name, buffer.type, shape)),
        (Access(name, (Affine.of(half), Affine.of(copy), *places)),),
        MdHom(
            (*cells, Dim(copy, Affine.of(extent)), Dim(half, Affine((), halves))),
            ScalarFunction((state,), (), (state,)),
            (*(cc,) * len(cells), PointWise(operator), PointWise(operator)),
        ),
        Finish((output,), joined),
        (output,),
    )
    return nest.nested(LowLevel(expression, _parts(nest, cells, (copy, half), buffer.type)))


def _joined(operator: Operator, old: Variable, state: Variable) -> ScalarFunction:
    """(state, old) ↦ old ⊕ state."""
    function = operator.function
    values = dict(zip((p.name for p in function.parameters), (old, state)))
    bindings = tuple((v, substitute(e, values)) for v, e in function.bindings)
    return ScalarFunction((state, old), bindings, tuple(substitute(r, values) for r in function.results))


def _parts(nest: ScatterNest, cells: tuple[Dim, ...], folded: tuple[str, ...], type: ScalarType) -> tuple[Part, ...]:
    lanes = nest.scope.machine.vector_bits // max(8, type.bits)
    found = [Part("COR", cells[0].name, 0, "core")]
    found += [Part("L1", d.name, lanes if d is cells[-1] else 1, "loop") for d in cells]
    found += [Part("L1", name, 1, "loop") for name in folded]
    if lanes > 1:
        found.append(Part("SIMD", cells[-1].name, 1, "lane"))
    return tuple(found)
