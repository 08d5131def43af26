"""Reductions whose result is the same at all points of a dimension, computed once for all of them.

for i: for l:  out[i, l] = Σ_j A[i, j] · (Σ_k B[j, k] · C[k, l])

t[i, l, j] = Σ_k B[j, k] · C[k, l];   out[i, l] = Σ_j A[i, j] · t[i, l, j]
t[l, j]    = Σ_k B[j, k] · C[k, l];   out[i, l] = Σ_j A[i, j] · t[l, j]
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import (
    Allocation,
    Check,
    Expression,
    Program,
    Step,
    expressions,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.accesses import touched_on_the_way, with_accesses
from jitmdh.mdh.algebra.scalar import index_values

_T = TypeVar("_T")


def hoist_invariant_reductions(program: Program) -> Program:
    """`program` with reductions into arrays of its own computed once for all points of what they do not vary with.

    ensures: the same meaning. Calls in which nothing was to be computed at such points are left to the undecorated
    function: their arrays need not be large enough for what would be computed once.
    """
    returned = program.returned
    for allocation in program.allocations:
        if allocation.fill is None and allocation.name not in returned:
            program = _shrunk(program, allocation)
    return program


def _shrunk(program: Program, allocation: Allocation) -> Program:
    """`program` with the axes of an array gone along which all its elements are equal."""
    name = allocation.name
    found = expressions(program.steps)
    makers = [e for e in found if name in e.written]
    if len(makers) != 1 or makers[0] not in program.steps or any(name in touched_on_the_way(e) for e in found):
        return program
    maker = makers[0]
    same = [] if len(maker.out_view) > 1 or not maker.collapsed else _same(maker)
    axes = {n for n, index in enumerate(maker.out_view[0].index) if index in map(Affine.of, same)}
    if not axes:
        return program
    extents = [d.extent for d in maker.md_hom.dims if d.name in same]
    message = "a loop without iterations around what is computed once for all of them"
    empty = tuple(
        Check(e - 1, "fallback", message, (), maker.loc) for e in extents if any(e in c.when for c in program.checks)
    )
    steps = tuple(_without_axes(s, name, axes, maker, same) for s in program.steps)
    kept = tuple(extent for n, extent in enumerate(allocation.shape) if n not in axes)
    allocations = tuple(replace(a, shape=kept) if a is allocation else a for a in program.allocations)
    return replace(program, steps=steps, allocations=allocations, checks=(*program.checks, *empty))


def _same(e: Expression) -> list[str]:
    """Dimensions of which nothing that an expression reads, computes or asks for depends; each is one axis of what it
    writes."""
    if e.indirect or e.scattered or any(a.guard for a in (*e.reads, *e.out_view)):
        return []
    functions = (e.md_hom.function, *(b.function for b in e.between), *((e.finish.function,) if e.finish else ()))
    used = {name for a in e.reads for index in a.index for name in index.names}
    used |= {name for f in functions for index in index_values(f) for name in index.names}
    used |= {name for index in (*e.md_hom.guard, *(d.extent for d in e.md_hom.dims)) for name in index.names}
    index = e.out_view[0].index
    plain = [d.name for d in e.md_hom.dims if sum(d.name in i.names for i in index) == 1 and Affine.of(d.name) in index]
    pairs = zip(e.md_hom.dims, e.md_hom.combine)
    return [d.name for d, c in pairs if isinstance(c, Concatenation) and d.name in plain and d.name not in used]


def _without_axes(step: Step, name: str, axes: set[int], maker: Expression, same: list[str]) -> Step:
    if not isinstance(step, Expression):
        return replace(step, body=tuple(_without_axes(s, name, axes, maker, same) for s in step.body))

    dims = step.md_hom.dims
    gone = {n for n, d in enumerate(dims) if d.name in same} if step is maker else set()
    made = with_accesses(
        step,
        lambda a: replace(a, index=_left(a.index, axes)) if a.buffer == name else a,
        lambda b: replace(b, shape=_left(b.shape, axes)) if b.name == name else b,
    )
    return replace(
        made,
        md_hom=replace(made.md_hom, dims=_left(dims, gone), combine=_left(made.md_hom.combine, gone)),
        between=tuple(replace(b, depth=b.depth - sum(n < b.depth for n in gone)) for b in made.between),
    )


def _left(values: tuple[_T, ...], gone: set[int]) -> tuple[_T, ...]:
    return tuple(value for n, value in enumerate(values) if n not in gone)
