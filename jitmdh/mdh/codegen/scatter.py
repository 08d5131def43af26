"""Scatters over cores: each part updates a copy of the output of its own; the copies are combined in the end.

    parallel for part: private[part, …] = identity;  private[part, bins[i]] ⊕= w[i] for the part's i
    hist[c] = hist[c] ⊕ private[0, c] ⊕ private[1, c] ⊕ …     another computation of the same kind

Where the output has more cells than there are points to a part, copies do not pay: one core updates it directly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.mdh.algebra.combine import Operator, PointWise, cc
from jitmdh.mdh.algebra.expr import Access, Buffer, Dim, Expression, Finish, MdHom
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable, substitute
from jitmdh.mdh.codegen.kernel_ir import (
    Apply,
    For,
    If,
    Literal,
    Parallel,
    Scratch,
    Statement,
    Store,
    Value,
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
from jitmdh.mdh.codegen.nest_facts import State
from jitmdh.mdh.lowlevel.expr import LowLevel, Part

if TYPE_CHECKING:
    from jitmdh.mdh.codegen.nest import Nest

# Copies per core of small outputs, and the bytes that they may take together: a part of the nearest cache.
_COPIES = 4
_NEAR_BYTES = 16 << 10
# Points for each cell that make a copy worth its beginning and its end.
_POINTS_PER_CELL = 2
_LINE = 128


def scatter_cores(nest: Nest, n: int, state: State) -> list[Statement]:
    """The loops from level `n`, over cores, of dimensions whose points may meet in one cell."""
    part, (access,) = nest.parts[n], nest.out_view
    buffer = nest.expression.buffer(access.buffer)
    size = max(1, buffer.type.size_bytes)
    out: list[Statement] = []
    cells = nest.named("cells", _cells(nest, buffer), out)
    points: Value = integer(1)
    for begin, end in state.ranges.values():
        points = multiply(points, subtract(end, begin))
    points = nest.named("points", points, out)
    line = max(1, _LINE // size)
    apart = nest.named("apart", multiply(add(divide(cells, line), integer(2)), integer(line)), out)
    many = compare("ge", points, multiply(cells, integer(4 * _COPIES)))
    near = both(many, compare("le", multiply(apart, integer(size * _COPIES)), integer(_NEAR_BYTES)))
    assert near is not None
    copies = nest.named("copies", Apply("select", (near, integer(_COPIES), integer(1)), int64), out)
    shift = nest.named("copy_shift", Apply("select", (near, apart, integer(0)), int64), out)
    useful = Apply("udiv", (points, maximum(multiply(cells, integer(_POINTS_PER_CELL)), integer(1))), int64)
    tasks = nest.named("tasks", maximum(minimum(nest.tasks(state, 1, out), useful), integer(1)), out)
    parts, length = nest.split(part, state, tasks, out)
    pays = compare("gt", multiply(parts, copies), integer(1))
    private = _private(nest, n, state, (parts, length), (copies, apart, shift), buffer)
    direct = nest.level(n + 1, state)
    return [*out, If(pays, tuple(private), tuple(direct))]


def _cells(nest: Nest, buffer: Buffer) -> Value:
    count: Value = integer(1)
    for extent in buffer.shape:
        count = multiply(count, nest.scope.affine(extent, {}))
    return count


def _private(
    nest: Nest, n: int, state: State, split: tuple[Value, Value], copies: tuple[Value, Value, Value], buffer: Buffer
) -> list[Statement]:
    """Parts with copies of their own, then their combination."""
    scope, part, (access,) = nest.scope, nest.parts[n], nest.out_view
    (parts, length), (each, apart, shift) = split, copies
    assert nest.scattered is not None
    operator, saved = nest.scattered.operator, (nest.scattered, nest.out_view)
    name = scope.fresh("private")
    strides: list[Value] = []
    total: Value = integer(1)
    for extent in reversed(buffer.shape):
        strides.append(total)
        total = multiply(total, scope.affine(extent, {}))
    scope.strides[name], scope.types[name] = (apart, *reversed(strides)), buffer.type
    task = scope.index("task")
    inside: list[Statement] = []
    first = nest.named("first_copy", multiply(task, each), inside)
    scope.sizes[f"{name}.first"] = first
    inside.append(_identities(nest, name, operator, multiply(first, apart), multiply(each, apart)))
    begin, end = state.ranges[part.dim]
    low = nest.named(f"{part.dim}_begin", add(begin, multiply(task, length)), inside)
    high = nest.named(f"{part.dim}_end", minimum(add(low, length), end), inside)
    inner = replace(state, ranges={**state.ranges, part.dim: (low, high)})
    nest.scattered = nest.scattered.private(_COPIES, shift)
    nest.out_view = (replace(access, buffer=name, index=(Affine.of(f"{name}.first"), *access.index)),)
    inside += nest.level(n + 1, inner)
    nest.scattered, nest.out_view = saved
    work: list[Statement] = [Parallel(task, parts, tuple(inside), f"COR {part.dim}: a copy of {buffer.name} each")]
    counted: list[Statement] = []
    count = nest.named("all_copies", multiply(parts, each), counted)
    work += [*counted, *_combined(nest, name, count, buffer, operator)]
    return [Scratch(name, buffer.type, multiply(multiply(parts, each), apart), tuple(work), "L2")]


def _identities(nest: Nest, name: str, operator: Operator, begin: Value, count: Value) -> Statement:
    """The operator's identity in all cells of a part's copies."""
    assert operator.identity is not None
    type = nest.scope.types[name]
    lanes = max(1, min(nest.scope.machine.vector_bits // type.bits, _LINE // max(1, type.size_bytes)))
    constant = operator.identity[0]
    value = spread(Literal(constant.value, constant.type), lanes)
    cell = nest.scope.index("cell")
    body = (Store(name, cell, value),)
    return For(cell, begin, add(begin, count), integer(lanes), body, "identities")


def _combined(nest: Nest, name: str, count: Value, buffer: Buffer, operator: Operator) -> list[Statement]:
    """Re-composition over cores: `output[c] = output[c] ⊕ Σ private[part, c]`."""
    scope = nest.scope
    extent, part = scope.fresh("private_extent"), scope.fresh("part")
    scope.sizes[extent] = count
    cells = tuple(Dim(scope.fresh(f"{buffer.name}_cell"), e) for e in buffer.shape)
    places = tuple(Affine.of(d.name) for d in cells)
    state = Variable("state", buffer.type)
    old = Variable("old", buffer.type)
    joined = _joined(operator, old, state)
    output = Access(buffer.name, places)
    expression = Expression(
        f"copies of {buffer.name}",
        (buffer, Buffer(name, buffer.type, (Affine.of(extent), *buffer.shape))),
        (Access(name, (Affine.of(part), *places)),),
        MdHom(
            (*cells, Dim(part, Affine.of(extent))),
            ScalarFunction((state,), (), (state,)),
            (*(cc,) * len(cells), PointWise(operator)),
        ),
        Finish((output,), joined),
        (output,),
    )
    return type(nest)(LowLevel(expression, _parts(nest, cells, part, buffer.type)), scope).write()


def _joined(operator: Operator, old: Variable, state: Variable) -> ScalarFunction:
    """(state, old) ↦ old ⊕ state."""
    function = operator.function
    values = dict(zip((p.name for p in function.parameters), (old, state)))
    bindings = tuple((v, substitute(e, values)) for v, e in function.bindings)
    return ScalarFunction((state, old), bindings, tuple(substitute(r, values) for r in function.results))


def _parts(nest: Nest, cells: tuple[Dim, ...], part: str, type: ScalarType) -> tuple[Part, ...]:
    lanes = nest.scope.machine.vector_bits // max(8, type.bits)
    found = [Part("COR", cells[0].name, 0, "core")]
    found += [Part("L1", d.name, lanes if d is cells[-1] else 1, "loop") for d in cells]
    found.append(Part("L1", part, 1, "loop"))
    if lanes > 1:
        found.append(Part("SIMD", cells[-1].name, 1, "lane"))
    return tuple(found)
