"""Dimensions that are one in memory, joined: nests over short rows become nests over long ones.

I: f64[56, 9], row by row:    for k < 21: for p < 9:  I[k + 35, p] = 0.1 * D[k + 35, p]
                              for kp < 189:           I[0, kp + 315] = 0.1 * D[0, kp + 315]

A joined expression sees its arrays with the two axes as one, behind an axis of extent 1: I: f64[1, 504]. So ranks, and
with them strides, are what they were. Vectors along rows of 9 elements are two each, the second nearly empty.

Of arrays whose rows lie one behind the other in all calls (`ArrayParameter.rows`) extents need not be known: a product
of extents that calls bring is a size with a name of its own, a definition of the program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from jitmdh.mdh.algebra.combine import Concatenation, PointWise
from jitmdh.mdh.algebra.expr import (
    Access,
    ArrayParameter,
    Expression,
    Program,
    Step,
    Together,
    expressions,
)
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.rewrites.dimensions.products import ONE, Product, Products, times
from jitmdh.mdh.algebra.scalar import index_values
from jitmdh.mdh.algebra.sizes import evaluate_size

Strides = Mapping[str, tuple[Product | None, ...]]
"""For each array the distance of neighbours along each axis, in elements; None where that is not known."""

Axes = tuple[int, int]


def with_joined_dimensions(program: Program, unit_axes: Mapping[str, int | None]) -> Program:
    """`program` with dimensions joined wherever all arrays of an expression have them behind each other in memory.

    Nothing, unless all strides of some matrix are known: elsewhere dimensions keep the names that users gave them, and
    that schedules say. unit_axes: for array parameters, the axis whose stride is one.
    """
    given = [p for p in program.parameters if isinstance(p, ArrayParameter)]
    if not any(p.steps or p.rows for p in given):
        return program
    sizes = Products(program)
    strides: dict[str, tuple[Product | None, ...]] = {}
    shapes = _shapes(program)
    for p in given:
        if p.rows:
            named = [Affine.of(shape_name(p.name, axis)) for axis in range(p.rank)]
            strides[p.name] = _of_rows(shapes.get(p.name, named), sizes)
            continue
        known: dict[int | None, int] = {**dict(p.steps), unit_axes.get(p.name): 1}
        strides[p.name] = tuple((known[axis], ()) if axis in known else None for axis in range(p.rank))
    if not any(len(known) > 1 and None not in known for known in strides.values()):
        return program
    made = program.allocations
    strides |= {a.name: (None,) * len(a.shape) if a.fortran else _of_rows(a.shape, sizes) for a in made}
    for view in program.views:
        strides[view.name] = _of_rows(view.shape, sizes) if strides[view.of] == (ONE,) else (None,) * len(view.shape)
    seen: set[str] = set()
    steps = tuple(_joined(s, strides, sizes, seen) for s in program.steps)
    definitions = *program.definitions, *sizes.made.values()
    return replace(without_rows(with_short_steps(program, seen), seen), steps=steps, definitions=definitions)


def with_short_steps(program: Program, but: Collection[str] = ()) -> Program:
    """How far rows are apart that lie one behind the other and whose length is a number; `but` for some arrays."""
    shapes = _shapes(program)

    def with_step(p: ArrayParameter) -> ArrayParameter:
        row = shapes[p.name][-1] if p.rows and p.rank > 1 and p.name in shapes and p.name not in but else Affine()
        known = row.is_constant and row.constant > 0 and not p.steps
        return replace(p, steps=((p.rank - 2, row.constant),)) if known else p

    parameters = tuple(with_step(p) if isinstance(p, ArrayParameter) else p for p in program.parameters)
    return replace(program, parameters=parameters)


def _shapes(program: Program) -> dict[str, tuple[Affine, ...]]:
    """Of buffers that expressions see: extents of a known value are numbers there."""
    return {b.name: b.shape for e in expressions(program.steps) for b in e.buffers}


def without_rows(program: Program, but: Collection[str] = ()) -> Program:
    """For calls of whose arrays, `but` for some, nobody knows whether their elements lie one behind the other."""
    known = (p.rows and p.name in but if isinstance(p, ArrayParameter) else False for p in program.parameters)
    parameters = tuple(
        replace(p, rows=rows) if isinstance(p, ArrayParameter) and p.rows != rows else p
        for p, rows in zip(program.parameters, known)
    )
    return replace(program, parameters=parameters)


def with_products(sizes: Mapping[str, int], program: Program) -> Mapping[str, int]:
    """The sizes of a call, if there are any, with those of the definitions that joining has added to `program`."""
    new = [d for d in program.definitions if d.name not in sizes] if sizes else []
    return {**sizes, **{d.name: evaluate_size(d.value, sizes) for d in new}} if new else sizes


def _of_rows(shape: Sequence[Affine], sizes: Products) -> tuple[Product | None, ...]:
    found: list[Product | None] = []
    stride: Product | None = ONE
    for extent in reversed(shape):
        found.insert(0, stride)
        length = sizes.product(extent)
        stride = None if stride is None or length is None else times(length, stride)
    return tuple(found)


def axes_of_views(program: Program, unit_axes: Mapping[str, int | None]) -> dict[str, int | None]:
    """`unit_axes`, and the axis along which elements of each view of rows are neighbours in memory, if one is."""
    made = {a.name for a in program.allocations}
    near = {v.name: len(v.shape) - 1 if v.of in made or unit_axes.get(v.of) == 0 else None for v in program.views}
    return {**unit_axes, **near}


def _joined(step: Step, strides: Strides, sizes: Products, seen: set[str]) -> Step:
    """seen: is told of the arrays that some expression sees with two axes as one."""
    if not isinstance(step, Expression):
        local = {a.name: _of_rows(a.shape, sizes) for a in step.local} if isinstance(step, Together) else {}
        return replace(step, body=tuple(_joined(s, {**strides, **local}, sizes, seen) for s in step.body))
    while (pair := next(_pairs(step, strides, sizes), None)) is not None:
        seen |= pair[-1].keys()
        step = _with_one(step, *pair, sizes)
    return step


def _pairs(
    e: Expression, strides: Strides, sizes: Products
) -> Iterator[tuple[str, str, Product, dict[str, Axes]]]:  # fmt: skip
    """Two dimensions that may be joined, the outer one first, the extent of the inner one, and the axes that they are
    of each array."""
    m = e.md_hom
    if len(m.dims) < 2 or e.between or e.procedures or m.guard or _looks_at_places(e, strides):
        return
    decide = {n for a in (*e.reads, *e.out_view) for g in a.guard for n in g.names}
    decide = decide.union(*(e.indirect_depends(n) for n in e.indirect))
    decide = decide.union(*(i.names for f in (m.function, *((e.finish.function,) if e.finish else ()))
                            for i in index_values(f)))  # fmt: skip
    combine = dict(zip((d.name for d in m.dims), m.combine))
    order = [d.name for d in m.dims]
    for inner in m.dims:
        length = sizes.product(inner.extent)
        if length is None or not length[0]:
            continue
        for outer in m.dims:
            a, b = outer.name, inner.name
            if (
                a == b
                or {a, b} & decide
                or combine[a] != combine[b]
                or not isinstance(combine[a], Concatenation | PointWise)
                or (length[1] and sizes.product(outer.extent) is None)
            ):
                continue
            if isinstance(combine[a], PointWise) and order.index(a) + 1 != order.index(b):
                continue
            axes = _axes(e, a, b, length, strides)
            if axes and not (length[1] and any(sizes.product(n) is None for n in _rows(e, axes))):
                yield a, b, length, axes


def _rows(e: Expression, axes: Mapping[str, Axes]) -> Iterator[Affine]:
    """How many rows each array has, whose number a joined one multiplies."""
    return (b.shape[axes[b.name][0]] for b in e.buffers if b.name in axes)


def _looks_at_places(e: Expression, strides: Strides) -> bool:
    """Whether something else than subscripts, guards, data and values depends on where a point is."""
    names = {d.name for d in e.md_hom.dims}
    return any(names & set(d.extent.names) for d in e.md_hom.dims) or any(
        b.of is not None and b.name not in strides for b in e.buffers
    )


def _axes(e: Expression, a: str, b: str, length: Product, strides: Strides) -> dict[str, Axes] | None:
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
        if near is None or steps[i] != times(length, near) or any(access.index[n] != Affine() for n in range(i + 1, j)):
            return None
        if length[1] and not access.index[i].without((a,)).is_constant:
            return None
        if found.setdefault(access.buffer, (i, j)) != (i, j):
            return None
    return found


def _with_one(e: Expression, a: str, b: str, length: Product, axes: Mapping[str, Axes], sizes: Products) -> Expression:
    """`e` over one dimension in the place of `a` and `b`, of which `b` has extent `length`."""
    m, rows = e.md_hom, sizes.affine(length)
    outer, inner = (next(d for d in m.dims if d.name == name) for name in (a, b))
    name = f"{a}{b}"
    while name in {d.name for d in m.dims} | {b.name for b in e.buffers}:
        name += "_"

    def long(extent: Affine) -> Affine:
        """So many rows."""
        if rows.is_constant:
            return extent * rows.constant
        count = sizes.product(extent)
        assert count is not None
        return sizes.affine(times(count, length))

    def one(access: Access) -> Access:
        if access.buffer not in axes:
            return access
        (i, j), index = axes[access.buffer], list(access.index)
        far, near = index[i].without((a,)), index[j].without((b,))
        joined = Affine.of(name) if a in index[i].names else Affine()
        before = far * rows.constant if rows.is_constant else rows * far.constant
        index[i], index[j] = Affine(), joined + near + before
        return replace(access, index=tuple(index))

    def shape(buffer: str, extents: tuple[Affine, ...]) -> tuple[Affine, ...]:
        (i, j), seen = axes[buffer], list(extents)
        seen[i], seen[j] = Affine((), 1), long(extents[i])
        return tuple(seen)

    kept = [(d, c) for d, c in zip(m.dims, m.combine) if d.name != a]
    made = replace(inner, name=name, extent=long(outer.extent))
    return replace(
        with_accesses(e, one, lambda b: replace(b, shape=shape(b.name, b.shape)) if b.name in axes else b),
        md_hom=replace(m, dims=tuple(made if d.name == b else d for d, _ in kept), combine=tuple(c for _, c in kept)),
    )
