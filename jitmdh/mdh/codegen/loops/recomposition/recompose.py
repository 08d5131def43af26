"""Re-composition through memory: results that wait in buffers until a part ends (R3, R4) or all cores are done (R2).

Combining what has waited is a computation of the same kind. Its inputs are the buffers, its dimensions those that
remain and, where each core has left results of its own, one more that collapses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jitmdh.mdh.algebra.bounds import needed_numbers
from jitmdh.mdh.algebra.combine import CombineOperator, PointWise, cc
from jitmdh.mdh.algebra.expr import (
    Access,
    Dim,
    Finish,
    MdHom,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable, index_values
from jitmdh.mdh.codegen.context.packed_layout import Packed, digits_of
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import Buffers, NestFacts, NestPosition, state_types
from jitmdh.mdh.kernel.arithmetic import add, integer, maximum, multiply, subtract
from jitmdh.mdh.kernel.ir import Let, Literal, Name, Statement, Value
from jitmdh.mdh.lowlevel.expr import LowLevel, Part, Stage


def plan_stage(
    nest: NestFacts, stage: Stage, state: NestPosition
) -> tuple[tuple[Access, ...], list[Statement], Buffers]:
    """Buffers for the results at `state`: how they are accessed, statements before, what to allocate."""
    scope, remaining = nest.scope, nest.expression.remaining
    hint, ranges = state.to.out_view[0].buffer, state.ranges
    before: list[Statement] = []

    def named(name: str, value: Value) -> Value:
        if isinstance(value, (Literal, Name)):
            return value
        bound = scope.index(f"{hint}_{name}")
        before.append(Let(bound, value))
        return bound

    origin = tuple(ranges[d][0] for d in remaining)
    lengths = [maximum(subtract(ranges[d][1], ranges[d][0]), integer(0)) for d in remaining]
    extent = [named("count", length) for length in lengths]
    digits, size = digits_of(stage.layout, extent, named)
    accesses, buffers = [], []
    plain = nest.operator is None and state.to.finish is None
    for n, type in enumerate(state_types(nest)):
        buffer = scope.fresh(f"{hint}_{stage.region}")
        scope.layouts[buffer] = Packed(buffer, origin, tuple(extent), digits, size)
        scope.types[buffer] = type
        guard = state.to.out_view[n].guard if plain else ()  # what is not written is not computed
        accesses.append(Access(buffer, tuple(Affine.of(d) for d in remaining), guard))
        buffers.append((buffer, type, size))
    return tuple(accesses), before, buffers


def plan_private(
    nest: NestFacts, part: Value, parts: Value, dims: tuple[str, ...], ranges: Mapping[str, Range]
) -> tuple[tuple[Access, ...], Buffers]:
    """Buffers with a row for each part of a reduction over cores, for the results over `ranges` of `dims`."""
    scope = nest.scope
    strides: list[Value] = []
    total: Value = integer(1)
    for name in reversed(dims):
        begin, end = ranges[name]
        strides.append(total)
        total = multiply(total, maximum(subtract(end, begin), integer(1)))
    accesses, buffers = [], []
    for type in state_types(nest):
        buffer = scope.fresh("private")
        # Parts lie a cache line apart, so that threads do not write to the same one.
        gap = add(total, integer(128 // max(1, type.size_bytes)))
        scope.strides[buffer], scope.types[buffer] = (gap, *reversed(strides)), type
        scope.sizes[f"{buffer}.part"] = part
        index = [Affine.of(f"{buffer}.part")]
        for name in dims:
            low = f"{buffer}.low[{name}]"
            scope.sizes[low] = ranges[name][0]
            index.append(Affine.of(name) - Affine.of(low))
        accesses.append(Access(buffer, tuple(index)))
        buffers.append((buffer, type, multiply(gap, parts)))
    return tuple(accesses), buffers


def accumulating(nest: NestFacts, earlier: tuple[Access, ...]) -> Finish:
    """`earlier ⊕ state`, as a finish of the state."""
    assert nest.operator is not None
    function, n = nest.operator.function, nest.operator.arity
    reordered = (*function.parameters[n:], *function.parameters[:n])
    return Finish(earlier, replace(function, parameters=reordered))


def of_stage(
    nest: NestFacts, reads: tuple[Access, ...], finish: Finish | None, out_view: tuple[Access, ...], shared: bool
) -> LowLevel:
    """Finish what has waited and write it. shared: among cores."""
    types = [nest.scope.types[a.buffer] for a in reads]
    state = tuple(Variable(f"state{n}", type) for n, type in enumerate(types))
    lane, lanes = _lanes(nest, reads, out_view)
    low = _recomposition(nest, reads, ScalarFunction(state, (), state), None, finish, out_view, {lane: lanes})
    outer = [d.name for d in low.expression.md_hom.dims]
    if not shared or not outer:
        return low
    return replace(low, parts=(Part("COR", outer[0], 0, "core"), *low.parts))


def of_private(
    nest: NestFacts, reads: tuple[Access, ...], parts: Value, finish: Finish | None, out_view: tuple[Access, ...]
) -> tuple[LowLevel, str]:
    """Combine the results of all cores, finish and write them; and the dimension that counts the cores' parts."""
    assert nest.operator is not None
    scope = nest.scope
    extent = scope.fresh("private_extent")
    scope.sizes[extent] = parts
    part = scope.fresh("part")
    reads = tuple(replace(a, index=(Affine.of(part), *a.index[1:])) for a in reads)
    state = nest.operator.function.parameters[: nest.operator.arity]
    over = Dim(part, Affine.of(extent))
    low = _recomposition(nest, reads, ScalarFunction(state, (), state), over, finish, out_view, nest.lanes)
    return low, part


def _recomposition(
    nest: NestFacts,
    reads: tuple[Access, ...],
    function: ScalarFunction,
    over: Dim | None,
    finish: Finish | None,
    out_view: tuple[Access, ...],
    lanes: Mapping[str, int],
) -> LowLevel:
    md_hom = nest.expression.md_hom
    kept = [d for d in md_hom.dims if d.name in nest.expression.remaining]
    guard = tuple(g for g in md_hom.guard if not set(g.names) & set(nest.expression.collapsed))
    dims = tuple(kept)
    combine: tuple[CombineOperator, ...] = (cc,) * len(kept)
    if over is not None:
        assert nest.operator is not None
        dims, combine = (over, *dims), (PointWise(nest.operator), *combine)
    whole = MdHom(dims, function, combine, guard)
    accesses = (*reads, *out_view, *(finish.inp_view if finish else ()))
    used = [*(i for a in accesses for i in (*a.index, *a.guard)), *guard, *(d.extent for d in dims)]
    used += index_values(finish.function) if finish else ()
    numbers = needed_numbers(nest.expression, used)  # others depend on dimensions that are gone
    expression = replace(
        nest.expression, inp_view=reads, md_hom=whole, finish=finish, out_view=out_view, between=(), indirect=numbers
    )  # fmt: skip
    parts: list[Part] = []
    for d in kept:
        wide = lanes.get(d.name, 1)
        parts.append(Part("L1", d.name, wide, "loop"))
        if wide > 1:
            parts.append(Part("SIMD", d.name, 1, "lane"))
    if over is not None:
        parts.append(Part("L1", over.name, 1, "loop"))
    return LowLevel(expression, tuple(parts))


def _lanes(nest: NestFacts, reads: tuple[Access, ...], out_view: tuple[Access, ...]) -> tuple[str, int]:
    """The dimension along which results lie side by side where they are written, and how many fit a vector."""
    scope = nest.scope
    dims = [d for d in nest.expression.remaining if _side_by_side(nest, out_view[0], d)]
    dims += [d for d in nest.expression.remaining if nest.lanes[d] > 1]
    if not dims:
        return "", 1
    dim = dims[0]
    bits = max(8, *(scope.types[a.buffer].bits for a in (*reads, *out_view)))
    lanes = max(1, scope.machine.vector_bits // bits)
    # Blocks hold whole vectors. Those of buffers around this part begin where tiles do, not where the part does.
    blocks = [(b, 0) for a in reads for b in _blocks(nest, a, dim)]
    blocks += [(b, nest.lanes[dim]) for a in out_view for b in _blocks(nest, a, dim)]
    while any(block % lanes or step % lanes for block, step in blocks):
        lanes //= 2
    return dim, lanes


def _blocks(nest: NestFacts, access: Access, dim: str) -> list[int]:
    """Sizes of blocks in which `access` runs through a buffer along `dim`."""
    layout = nest.scope.layouts.get(access.buffer)
    if layout is None:
        return []
    axes = [axis for axis, index in enumerate(access.index) if index.coefficient(dim)]
    return [d.block for axis in axes for d in layout.axis_digits(axis) if d.block > 1]


def _side_by_side(nest: NestFacts, access: Access, dim: str) -> bool:
    axes = [axis for axis, index in enumerate(access.index) if index.coefficient(dim)]
    if len(axes) != 1 or access.index[axes[0]].coefficient(dim) != 1:
        return False
    layout = nest.scope.layouts.get(access.buffer)
    among = nest.scope.interleaved.get(access.buffer)
    unit = layout.lane_stride(axes[0]) if layout else nest.scope.strides[access.buffer][axes[0]]
    return unit == integer(among.period if among else 1)
