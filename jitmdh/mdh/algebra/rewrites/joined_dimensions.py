"""Dimensions that are one in memory, joined: nests over short rows become nests over long ones.

I: f64[56, 9], row by row:    for k < 21: for p < 9:  I[k + 35, p] = 0.1 * D[k + 35, p]
                              for kp < 189:           I[0, kp + 315] = 0.1 * D[0, kp + 315]

A joined expression sees its arrays with the two axes as one, behind an axis of extent 1: I: f64[1, 504]. So ranks, and
with them strides, are what they were. Vectors along rows of 9 elements are two each, the second nearly empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from jitmdh.mdh.algebra.combine import Concatenation, PointWise
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Expression,
    Program,
    Step,
    Together,
    index_values,
)
from jitmdh.mdh.algebra.index import Affine

Strides = Mapping[str, tuple[int | None, ...]]
"""For each array the distance of neighbours along each axis, in elements; None where that is not known."""

Axes = tuple[int, int]


def with_joined_dimensions(program: Program, unit_axes: Mapping[str, int | None]) -> Program:
    """`program` with dimensions joined wherever all arrays of an expression have them behind each other in memory.

    Nothing, unless all strides of some matrix are known: elsewhere dimensions keep the names that users gave them, and
    that schedules say. unit_axes: for array parameters, the axis whose stride is one.
    """
    given = [p for p in program.parameters if isinstance(p, ArrayParameter)]
    if not any(p.steps for p in given):
        return program
    strides: dict[str, tuple[int | None, ...]] = {}
    for p in given:
        known: dict[int | None, int] = {**dict(p.steps), unit_axes.get(p.name): 1}
        strides[p.name] = tuple(known.get(axis) for axis in range(p.rank))
    if not any(len(known) > 1 and None not in known for known in strides.values()):
        return program
    strides |= {a.name: _of_rows(a) for a in program.allocations}
    return replace(program, steps=tuple(_joined(s, strides) for s in program.steps))


def _of_rows(array: Allocation) -> tuple[int | None, ...]:
    found: list[int | None] = []
    stride: int | None = 1
    for extent in reversed(array.shape):
        found.insert(0, stride)
        stride = stride * extent.constant if stride is not None and extent.is_constant else None
    return tuple(found)


def _joined(step: Step, strides: Strides) -> Step:
    if not isinstance(step, Expression):
        local = {a.name: _of_rows(a) for a in step.local} if isinstance(step, Together) else {}
        return replace(step, body=tuple(_joined(s, {**strides, **local}) for s in step.body))
    while (pair := next(_pairs(step, strides), None)) is not None:
        step = _with_one(step, *pair, strides)
    return step


def _pairs(e: Expression, strides: Strides) -> Iterator[tuple[str, str, dict[str, Axes]]]:
    """Two dimensions that may be joined, the outer one first, and the axes that they are of each array."""
    m = e.md_hom
    if len(m.dims) < 2 or e.between or e.procedures or m.guard or _looks_at_places(e):
        return
    decide = {n for a in (*e.reads, *e.out_view) for g in a.guard for n in g.names}
    decide = decide.union(*(e.indirect_depends(n) for n in e.indirect))
    combine = dict(zip((d.name for d in m.dims), m.combine))
    order = [d.name for d in m.dims]
    for inner in m.dims:
        if not inner.extent.is_constant or inner.extent.constant < 1:
            continue
        for outer in m.dims:
            a, b = outer.name, inner.name
            if (
                a == b
                or {a, b} & decide
                or combine[a] != combine[b]
                or not isinstance(combine[a], Concatenation | PointWise)
            ):
                continue
            if isinstance(combine[a], PointWise) and order.index(a) + 1 != order.index(b):
                continue
            axes = _axes(e, a, b, inner.extent.constant, strides)
            if axes:
                yield a, b, axes


def _looks_at_places(e: Expression) -> bool:
    """Whether something else than subscripts, guards and data depends on where a point is."""
    functions = (e.md_hom.function, *((e.finish.function,) if e.finish else ()))
    names = {d.name for d in e.md_hom.dims}
    return (
        any(True for f in functions for _ in index_values(f))
        or any(names & set(d.extent.names) for d in e.md_hom.dims)
        or any(b.of is not None for b in e.buffers)
    )


def _axes(e: Expression, a: str, b: str, length: int, strides: Strides) -> dict[str, Axes] | None:
    """The axes that are `a` and `b` for each array that has them; None unless they are behind each other in all."""
    found: dict[str, Axes] = {}
    for access in (*e.reads, *e.out_view):
        of_a, of_b = ([n for n, i in enumerate(access.index) if i.coefficient(name)] for name in (a, b))
        if not of_a and not of_b:
            continue
        if len(of_a) != 1 or len(of_b) != 1:
            return None
        (i,), (j,), steps = of_a, of_b, strides.get(access.buffer, ())
        near = steps[j] if steps else None
        if not i < j or access.index[i].coefficient(a) != 1 or access.index[j].coefficient(b) != 1:
            return None
        if near is None or steps[i] != length * near or any(access.index[n] != Affine() for n in range(i + 1, j)):
            return None
        if found.setdefault(access.buffer, (i, j)) != (i, j):
            return None
    return found


def _with_one(e: Expression, a: str, b: str, axes: Mapping[str, Axes], strides: Strides) -> Expression:
    """`e` over one dimension in the place of `a` and `b`."""
    m = e.md_hom
    outer, inner = (next(d for d in m.dims if d.name == name) for name in (a, b))
    name = f"{a}{b}"
    while name in {d.name for d in m.dims} | {b.name for b in e.buffers}:
        name += "_"

    def rows(buffer: str) -> int:
        i, j = axes[buffer]
        far, near = strides[buffer][i], strides[buffer][j]
        assert far is not None and near is not None
        return far // near

    def view(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(one(access) if access.buffer in axes else access for access in accesses)

    def one(access: Access) -> Access:
        (i, j), index = axes[access.buffer], list(access.index)
        far, near = index[i].without((a,)), index[j].without((b,))
        joined = Affine.of(name) if a in index[i].names else Affine()
        index[i], index[j] = Affine(), joined + near + far * rows(access.buffer)
        return replace(access, index=tuple(index))

    def shape(buffer: str, extents: tuple[Affine, ...]) -> tuple[Affine, ...]:
        (i, j), seen = axes[buffer], list(extents)
        seen[i], seen[j] = Affine((), 1), extents[i] * rows(buffer)
        return tuple(seen)

    kept = [(d, c) for d, c in zip(m.dims, m.combine) if d.name != a]
    made = replace(inner, name=name, extent=outer.extent * inner.extent.constant)
    return replace(
        e,
        buffers=tuple(replace(b, shape=shape(b.name, b.shape)) if b.name in axes else b for b in e.buffers),
        inp_view=view(e.inp_view),
        md_hom=replace(m, dims=tuple(made if d.name == b else d for d, _ in kept), combine=tuple(c for _, c in kept)),
        finish=None if e.finish is None else replace(e.finish, inp_view=view(e.finish.inp_view)),
        out_view=view(e.out_view),
    )
