"""Delinearisation: a dimension over all elements of an array, row by row, becomes one for each axis.

before, x.ravel().sum():    i < m*n,           x[i // n, i % n],  •(add)
after:                      i_0 < m, i_1 < n,  x[i_0, i_1],       (•(add), •(add))

before, x.ravel() + y:      i < m*n,           r[i] = x[i // n, i % n] + y[i]
after:                      i_0 < m, i_1 < n,  r_rows[i_0, i_1] = x[i_0, i_1] + y_rows[i_0, i_1]

Quotients and remainders are subscripts that nobody knows to be neighbours: each lane divides, and gathers.

requires: nothing else looks at where a point is: no subscript, guard, extent or value has the dimension but by these
quotients and remainders, whose divisors are extents of arrays, and subscripts of vectors that no other expression
knows; the dimension has as many points as these axes have.
ensures: the same points in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

from jitmdh.mdh.algebra.combine import Concatenation, PointWise, Scatter
from jitmdh.mdh.algebra.expr import (
    Allocation,
    ArrayParameter,
    Buffer,
    Dim,
    Expression,
    Indirect,
    Program,
    RowView,
    Step,
    expressions,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.rewrites.dimensions.products import Products, times
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, Variable, index_values

Extents = tuple[Affine, ...]
"""Of axes, the outermost first; the first one is not known where no remainder says it."""


def delinearised(program: Program, views: bool = True) -> Program:
    """`program` with a dimension for each axis wherever an array is read, or written, as if it had one.

    views: whether vectors beside it may be seen as rows (`Program.views`).
    """
    lengths = _Lengths(program, views)
    steps = tuple(_step(s, lengths) for s in program.steps)
    if all(a is b for a, b in zip(steps, program.steps)):
        return program
    return replace(program, steps=steps, views=(*program.views, *lengths.views))


class _Lengths(Products):
    """The sizes of a program, and its vectors that may be seen as rows: only one expression knows them.

    views: those made.
    """

    def __init__(self, program: Program, views: bool) -> None:
        super().__init__(program)
        made = (program.parameters, program.allocations, program.definitions, program.views)
        self.taken = {x.name for several in made for x in several}
        self.views: list[RowView] = []
        returned = {r.name for r in program.returns or () if not r.length}
        vectors: list[ArrayParameter | Allocation] = [
            p for p in program.parameters if isinstance(p, ArrayParameter) and p.rank == 1
        ]
        vectors += [a for a in program.allocations if len(a.shape) == 1 and a.fill is None and a.name in returned]
        known = Counter(b.name for e in expressions(program.steps) for b in e.buffers)
        whole = {v.of for v in program.views}
        own = {v.name for v in vectors if known[v.name] == 1 and v.name not in whole and not v.type.parts}
        self.vectors = own if views else set()

    def rows_of(self, vector: Buffer, shape: Extents) -> Buffer:
        name = f"{vector.name}_rows"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.views.append(RowView(name, vector.name, vector.type, shape))
        return Buffer(name, vector.type, shape, vector.name)


def _step(step: Step, lengths: _Lengths) -> Step:
    if not isinstance(step, Expression):
        body = tuple(_step(s, lengths) for s in step.body)
        return step if all(a is b for a, b in zip(body, step.body)) else replace(step, body=body)
    for dim in step.md_hom.dims:
        step = _separated(step, dim, lengths)
    return step


def _separated(e: Expression, dim: Dim, lengths: _Lengths) -> Expression:
    m = e.md_hom
    at = m.dims.index(dim)
    if not isinstance(m.combine[at], Concatenation | PointWise | Scatter) or e.between or e.procedures:
        return e
    places = {n.name: p for n in e.indirect if (p := _place(n, dim.name, lengths)) is not None}
    extents = max((found for _, found in places.values()), key=len, default=())
    if not extents or any(extents[len(extents) - len(found) :] != found for _, found in places.values()):
        return e
    first = next((n.extent for n in e.indirect if places.get(n.name, (-1, ()))[0] == len(extents)), None)
    if first is None or not lengths.is_extent(first):
        return e
    axes = (first, *extents)
    if any(not _fits(n, places[n.name], axes) for n in e.indirect if n.name in places):
        return e
    total = lengths.product(axes[0])
    for extent in axes[1:]:
        one = lengths.product(extent)
        total = None if total is None or one is None else times(total, one)
    if total is None or total != lengths.product(dim.extent):
        return e
    names = _fresh(e, dim.name, len(axes))
    subscripts = {name: Affine.of(names[len(axes) - 1 - place]) for name, (place, _) in places.items()}
    left = replace(e, indirect=tuple(n for n in e.indirect if n.name not in places))
    vectors = _vectors(left, dim.name) & lengths.vectors
    if _looks_at(left, dim.name, vectors):
        return e
    rows = {b.name: lengths.rows_of(b, axes) for b in left.buffers if b.name in vectors}
    made = specialise_expression(_in_rows(left, rows, tuple(map(Affine.of, names))), subscripts)
    new = [Dim(name, extent, dim.loc) for name, extent in zip(names, axes)]
    dims, combine = list(made.md_hom.dims), list(made.md_hom.combine)
    dims[at : at + 1], combine[at : at + 1] = new, [combine[at]] * len(new)
    return replace(made, md_hom=replace(made.md_hom, dims=tuple(dims), combine=tuple(combine)))


def _place(n: Indirect, dim: str, lengths: _Lengths) -> tuple[int, Extents] | None:
    """Of `i // c // b % a`: which axis it is, counted from the last one, and the extents a, b, c."""
    if n.inp_view or n.function.parameters or len(n.function.results) != 1:
        return None
    zero: dict[str, Affine] = {}
    for variable, value in n.function.bindings:
        match value:
            case Operation("eq", (IndexValue(extent), Constant(0))):
                zero[variable.name] = extent
            case _:
                return None
    number = _of_points(n.function.results[0], zero)
    extents: list[Affine] = []
    remainder = isinstance(number, Operation) and number.op == "mod"
    while isinstance(number, Operation) and number.op in ("floordiv", "mod"):
        if number.op == "mod" and extents:
            return None
        value, size = number.operands
        divisor = _size(_of_points(size, zero))
        if divisor is None or not lengths.is_extent(divisor):
            return None
        extents.append(divisor)
        number = _of_points(value, zero)
    if not extents or not isinstance(number, IndexValue) or number.index != Affine.of(dim):
        return None
    return len(extents) - remainder, tuple(extents)


def _of_points(node: Scalar, zero: Mapping[str, Affine]) -> Scalar:
    """A number where there is any point: no divisor, an extent, is zero there. zero: what says that a size is."""
    match node:
        case Operation("faulted", (value, Variable(name), _)) if name in zero:
            return _of_points(value, zero)
        case Operation("select", (Variable(name), Constant(1), IndexValue(index))) if zero.get(name) == index:
            return node.operands[2]
    return node


def _size(node: Scalar) -> Affine | None:
    match node:
        case IndexValue(index):
            return index
        case Constant(int(value)):
            return Affine((), value)
    return None


def _fits(n: Indirect, place: tuple[int, Extents], axes: Extents) -> bool:
    """Whether its bounds say no more than that a place along an axis is less than the axis is long."""
    own = axes[len(axes) - 1 - place[0]]
    remainder = len(place[1]) > place[0]
    return (n.extent is None or n.decided or n.extent == own) and (not remainder or place[1][0] == own)


def _vectors(e: Expression, dim: str) -> set[str]:
    """The arrays of which each point of a dimension has the element of its own number, and no other."""
    other = {a.buffer for a in e.reads if a not in e.inp_view and (e.finish is None or a not in e.finish.inp_view)}
    own = {a.buffer for a in (*e.reads, *e.out_view) if a.index == (Affine.of(dim),)}
    return own - other - {a.buffer for a in (*e.reads, *e.out_view) if a.index != (Affine.of(dim),)}


def _in_rows(e: Expression, rows: Mapping[str, Buffer], names: tuple[Affine, ...]) -> Expression:
    """`e` with these views in the place of vectors."""
    return with_accesses(
        e,
        lambda a: replace(a, buffer=rows[a.buffer].name, index=names) if a.buffer in rows else a,
        lambda b: rows.get(b.name, b),
    )


def _looks_at(e: Expression, dim: str, vectors: Collection[str]) -> bool:
    """Whether anything but the extent of its own dimension, and subscripts of these, depends on it."""
    functions = [e.md_hom.function, *(n.function for n in e.indirect), *([e.finish.function] if e.finish else [])]
    seen = (*e.reads, *e.out_view)
    affine = [i for a in seen for i in (*(() if a.buffer in vectors else a.index), *a.guard)]
    affine += [*e.md_hom.guard, *(d.extent for d in e.md_hom.dims), *(v for f in functions for v in index_values(f))]
    affine += [n.extent for n in e.indirect if n.extent is not None]
    return any(dim in a.names for a in affine) or any(b.of is not None for b in e.buffers)


def _fresh(e: Expression, name: str, count: int) -> list[str]:
    taken = {d.name for d in e.md_hom.dims} | {b.name for b in e.buffers} | {n.name for n in e.indirect}
    between = "_"
    while taken & {f"{name}{between}{k}" for k in range(count)}:
        between += "_"
    return [f"{name}{between}{k}" for k in range(count)]
