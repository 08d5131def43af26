"""Delinearisation: a dimension over all elements of an array, row by row, becomes one for each axis.

before, x.ravel().sum():    i < m*n,           x[i // n, i % n],  •(add)
after:                      i_0 < m, i_1 < n,  x[i_0, i_1],       (•(add), •(add))

Quotients and remainders are subscripts that nobody knows to be neighbours: each lane divides, and gathers.

requires: nothing else looks at where a point is: no subscript, guard, extent or value has the dimension but by these
quotients and remainders, whose divisors are extents of arrays; the dimension has as many points as these axes have.
ensures: the same points in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jitmdh.mdh.algebra.combine import Concatenation, PointWise, Scatter
from jitmdh.mdh.algebra.expr import (
    ArrayParameter,
    Dim,
    Expression,
    Indirect,
    Program,
    Step,
    index_values,
)
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.rewrites.joined_dimensions import Product, times
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, Variable
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName, SizeOperation

Extents = tuple[Affine, ...]
"""Of axes, the outermost first; the first one is not known where no remainder says it."""


def delinearised(program: Program) -> Program:
    """`program` with a dimension for each axis wherever an array is read, or written, as if it had one."""
    lengths = _Lengths(program)
    steps = tuple(_step(s, lengths) for s in program.steps)
    return program if all(a is b for a, b in zip(steps, program.steps)) else replace(program, steps=steps)


class _Lengths:
    """Sizes of a program as products of extents that are never negative, by names in order."""

    def __init__(self, program: Program) -> None:
        given = [p for p in program.parameters if isinstance(p, ArrayParameter)]
        self.extents = {shape_name(p.name, axis) for p in given for axis in range(p.rank)}
        self.definitions: Mapping[str, SizeExpr] = {d.name: d.value for d in program.definitions}

    def is_extent(self, size: Affine) -> bool:
        if size.is_constant:
            return size.constant > 0
        return len(size.names) == 1 and size == Affine.of(*size.names) and self.extents.issuperset(size.names)

    def product(self, size: SizeExpr | Affine) -> Product | None:
        match size:
            case Affine() if size.is_constant:
                return size.constant, ()
            case Affine():
                (name, factor), *others = size.terms
                found = self._named(name) if not others and not size.constant else None
                return None if found is None else (found[0] * factor, found[1])
            case SizeConstant(value):
                return value, ()
            case SizeName(name):
                return self._named(name)
            case SizeOperation("mul", left, right):
                one, other = self.product(left), self.product(right)
                return None if one is None or other is None else times(one, other)
        return None

    def _named(self, name: str) -> Product | None:
        if name in self.extents:
            return 1, (name,)
        return self.product(self.definitions[name]) if name in self.definitions else None


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
    if _looks_at(left, dim.name):
        return e
    made = specialise_expression(left, subscripts)
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


def _looks_at(e: Expression, dim: str) -> bool:
    """Whether anything but the extent of its own dimension depends on it."""
    functions = [e.md_hom.function, *(n.function for n in e.indirect), *([e.finish.function] if e.finish else [])]
    affine = [i for a in (*e.reads, *e.out_view) for i in (*a.index, *a.guard)]
    affine += [*e.md_hom.guard, *(d.extent for d in e.md_hom.dims), *(v for f in functions for v in index_values(f))]
    affine += [n.extent for n in e.indirect if n.extent is not None]
    return any(dim in a.names for a in affine) or any(b.of is not None for b in e.buffers)


def _fresh(e: Expression, name: str, count: int) -> list[str]:
    taken = {d.name for d in e.md_hom.dims} | {b.name for b in e.buffers} | {n.name for n in e.indirect}
    between = "_"
    while taken & {f"{name}{between}{k}" for k in range(count)}:
        between += "_"
    return [f"{name}{between}{k}" for k in range(count)]
