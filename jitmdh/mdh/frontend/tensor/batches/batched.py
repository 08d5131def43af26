"""A kernel of tensors for many elements: every array but constants and shared ones gets a leading axis.

    Q[k, p] = Σ_l K[k, l] * I[l, p]      ->      Q[e, k, p] = Σ_l K[k, l] * I[e, l, p]

Elements are independent, so that the steps of one element may go together under a loop over all (see `Together`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.algebra.expr import (
    Access,
    ArrayParameter,
    Buffer,
    Check,
    Dim,
    Expression,
    Parameter,
    Program,
    expressions,
)
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.frontend.tensor.batches.listed import Lists
from jitmdh.mdh.frontend.tensor.program import Lowered
from jitmdh.mdh.frontend.to_algebra.zero_fills import without_fills


def batched(lowered: Lowered, axis: str, shared: Collection[str], lists: Lists | None = None) -> Lowered:
    """`lowered` over elements, whose dimension is called `axis`. shared: tensors that are the same for all of them.

    lists: those by which rows of arrays are going to be found (`found_by_lists`); there are as many elements as lists
    have numbers, and arrays whose rows lists find may have any number of them.
    requires: some tensor is not shared, and none that is written is.
    """
    program, lists = lowered.program, lists or {}
    each = {t.name for t in lowered.tensors} - set(shared)
    parameters = [p for p in program.parameters if p.name in each]
    own = _varying(program, frozenset(each))
    taken = {d.name for e in expressions(program.steps) for d in e.md_hom.dims} | {p.name for p in program.parameters}
    while axis in taken:
        axis += "_"
    names = tuple(dict.fromkeys(lists.values()))
    first = names[0] if names else parameters[0].name
    extent = Affine.of(shape_name(first, 0))
    moved = _moved(parameters)
    within = [specialise_expression(s, moved) if isinstance(s, Expression) else s for s in program.steps]
    steps = tuple(
        _over(s, axis, extent, own, each) if isinstance(s, Expression) and own & {b.name for b in s.buffers} else s
        for s in within
    )
    shapes = {a.name: tuple(n.substitute(moved) for n in a.shape) for a in program.allocations}
    allocations = tuple(
        replace(a, shape=(extent, *shapes[a.name]) if a.name in own else shapes[a.name]) for a in program.allocations
    )
    checks = tuple(replace(c, value=c.value.substitute(moved)) for c in program.checks)
    for name in (n for n in (*names, *(p.name for p in parameters if p.name not in lists)) if n != first):
        off = Affine.of(shape_name(name, 0)) - extent
        text = f"{name} and {first} have different numbers of elements"
        checks += tuple(Check(value, "shape", text) for value in (off, -off))
    given = tuple(
        replace(p, rank=p.rank + 1) if p.name in each and isinstance(p, ArrayParameter) else p
        for p in program.parameters
    )
    given += tuple(ArrayParameter(name, int64, 1) for name in names)
    made = replace(program, parameters=given, allocations=allocations, checks=checks, steps=steps)
    return replace(lowered, program=without_fills(made))


def _varying(program: Program, each: frozenset[str]) -> frozenset[str]:
    """The arrays that have a value for each element: `each`, and what is computed from them."""
    steps = expressions(program.steps)
    while True:
        found = each.union(*(e.written for e in steps if each & {b.name for b in e.buffers}))
        if found == each:
            return each
        each = found


def _moved(parameters: Collection[Parameter]) -> dict[str, Affine | int]:
    """Where the extents of parameters are, now that the leading axis is another one."""
    return {
        shape_name(p.name, n): Affine.of(shape_name(p.name, n + 1))
        for p in parameters
        if isinstance(p, ArrayParameter)
        for n in range(p.rank)
    }


def _over(e: Expression, axis: str, extent: Affine, own: frozenset[str], each: Collection[str]) -> Expression:
    element = Affine.of(axis)

    def access(a: Access) -> Access:
        return replace(a, index=(element, *a.index)) if a.buffer in own else a

    def buffer(b: Buffer) -> Buffer:
        if b.name not in own:
            return b
        first = Affine.of(shape_name(b.name, 0)) if b.name in each else extent
        return replace(b, shape=(first, *b.shape))

    m, made = e.md_hom, with_accesses(e, access, buffer)
    return replace(
        made,
        md_hom=replace(m, dims=(Dim(axis, extent), *m.dims), combine=(cc, *m.combine)),
        between=tuple(replace(b, depth=b.depth + 1) for b in made.between),
    )
