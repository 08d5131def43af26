"""Guards: what a call is checked for before anything is written, and shapes and strides of arrays made inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitmdh.base.capacity import LARGEST
from jitmdh.base.dtype import uint64
from jitmdh.mdh.algebra.expr import (
    ArrayParameter,
    Dim,
    Expression,
    Program,
    ScalarParameter,
    Sequential,
    Step,
)
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.scalar import index_values
from jitmdh.mdh.algebra.sizes import SizeExpr, SizeName, SizeOperation
from jitmdh.mdh.codegen.context.exact_integers import NUMBER, WORD, Exact, Interval
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.program import bind_arguments
from jitmdh.mdh.kernel.argument_frame import FrameLayout, frame_layout
from jitmdh.mdh.kernel.arithmetic import both, compare, integer, maximum, multiply
from jitmdh.mdh.kernel.ir import If, Kernel, Let, Return, SetArgument, Statement, Value
from jitmdh.mdh.machine.model import Machine


def build_guard(program: Program, machine: Machine) -> Kernel:
    """Checks of a call, in exact arithmetic, and shapes and strides of arrays made inside.

    Returns 0, or 1 + the number of the check that failed; one more than there are checks stands for numbers that are
    too large for the kernel.
    """
    frame = frame_layout(program)
    scope = Scope(machine)
    body: list[Statement] = []
    bind_arguments(program, frame, scope, body)
    exact = Exact(scope, _ranges(program), len(program.checks) + 1, body)
    _refuse_beyond_words(program, exact)
    for definition in program.definitions:
        value, exact.ranges[definition.name] = exact.narrow(*exact.size(definition.value), WORD)
        scope.sizes[definition.name] = exact.named(definition.name, value)
    _describe_allocations(program, frame, exact)
    for number, check in enumerate(program.checks):
        some: Value | None = None  # first: it is computed once for all checks that share it
        for positive in check.when:
            some = both(some, exact.positive(positive))
        negative = exact.negative(check.value)
        if negative is not None:
            failed = both(some, negative)
            assert failed is not None
            body.append(If(failed, (Return(integer(number + 1)),)))
    _refuse_beyond_numbers(program, exact)
    return Kernel("guard", (), (*body, Return(integer(0))), program.name, program.loc)


def _ranges(program: Program) -> dict[str, Interval]:
    """Between which values the sizes of any call lie; that shapes do, whoever takes the arguments sees to."""
    found: dict[str, Interval] = {}
    for p in program.parameters:
        if isinstance(p, ArrayParameter):
            found |= {shape_name(p.name, axis): (0, LARGEST) for axis in range(p.rank)}
        elif p.type.is_integer:
            found[p.name] = WORD if p.type == uint64 else p.type.limits()
    return found


def _refuse_beyond_words(program: Program, exact: Exact) -> None:
    """Where an unsigned integer is used as a size, kernels take it as a signed one."""
    unsigned = {p.name for p in program.parameters if isinstance(p, ScalarParameter) and p.type == uint64}
    if not unsigned:
        return
    used = set(_names(program))
    for name in sorted(unsigned & used):
        exact.refuse(compare("lt", exact.scope.sizes[name], integer(0)))
        exact.ranges[name] = 0, WORD[1]


def _names(program: Program) -> Iterator[str]:
    for definition in program.definitions:
        yield from _names_of_size(definition.value)
    for check in program.checks:
        for affine in (check.value, *check.when):
            yield from affine.names
    for allocation in program.allocations:
        for extent in allocation.shape:
            yield from extent.names
    for dims, e in _nests(program.steps, ()):
        for affine in (
            *(d.extent for d in dims),
            *(n for n, _ in _numbers(e)),
            *(i for a in e.out_view for i in a.index),
        ):
            yield from affine.names


def _names_of_size(size: SizeExpr) -> Iterator[str]:
    if isinstance(size, SizeName):
        yield size.name
    elif isinstance(size, SizeOperation):
        yield from _names_of_size(size.left)
        yield from _names_of_size(size.right)


def _describe_allocations(program: Program, frame: FrameLayout, exact: Exact) -> None:
    returned = program.returned
    for a in program.allocations:
        least = 0 if a.name in returned else NUMBER[0]  # NumPy refuses negative ones; arrays in between have no points
        shape = [maximum(exact.number(extent, (least, LARGEST)), integer(0)) for extent in a.shape]
        stride: Value = integer(a.type.size_bytes)
        for axis in range(len(shape)) if a.fortran else reversed(range(len(shape))):
            bound = exact.scope.index(f"{a.name}_extent{axis}")
            exact.out.append(Let(bound, shape[axis]))
            exact.out.append(SetArgument(frame.shape(a.name, axis), bound))
            exact.out.append(SetArgument(frame.stride(a.name, axis), stride))
            exact.scope.sizes[shape_name(a.name, axis)] = bound
            exact.ranges[shape_name(a.name, axis)] = 0, LARGEST
            stride = multiply(stride, bound)


# ----------------------------------------------------------------------------------------- what kernels compute


def _refuse_beyond_numbers(program: Program, exact: Exact) -> None:
    """Refuses calls in which a nest is too large, or a number that the kernel computes from indices is.

    Subscripts are none of these: where they are within their arrays, arithmetic that wraps around is exact.
    """
    nests = tuple(_nests(program.steps, ()))
    endless = frozenset(_endless(program.steps))
    counted = ((dims, [d for d in _sized(dims, exact) if d not in endless]) for dims, _ in nests)
    extents = {frozenset(_hull(d.extent, dims, 1) for d in known): None for dims, known in counted}
    for some in extents:
        if some and not any(some < other for other in extents):
            exact.require_points(sorted(some, key=str))
    for dims, e in nests:
        indices = {d.name: (0, LARGEST - 1) for d in dims}
        sized = _sized(dims, exact)
        dims = tuple(d if d in sized else replace(d, extent=Affine((), LARGEST)) for d in dims)
        for number, limits in _numbers(e):
            if not _is_known(number, exact, dims):
                continue
            low, high = exact.interval(number, indices)
            for sign, end in ((-1, low), (1, high)):
                if not limits[0] <= end <= limits[1]:
                    exact.number(_hull(number, dims, sign), limits)


def _nests(steps: Sequence[Step], around: tuple[Dim, ...]) -> Iterator[tuple[tuple[Dim, ...], Expression]]:
    """Each expression with all its dimensions, those of sequential loops around it first."""
    for step in steps:
        if isinstance(step, Expression):
            yield (*around, *step.md_hom.dims), step
        else:
            yield from _nests(step.body, (*around, step.dim))


def _endless(steps: Sequence[Step]) -> Iterator[Dim]:
    """The dimensions of loops that nothing but data end."""
    for step in steps:
        if not isinstance(step, Expression):
            if isinstance(step, Sequential) and step.until and step.dim.extent.is_constant:
                yield step.dim
            yield from _endless(step.body)


def _is_known(affine: Affine, exact: Exact, dims: Sequence[Dim]) -> bool:
    """Whether sizes decide between which values it lies, and no data do."""
    known = exact.ranges.keys() | {d.name for d in dims}
    return all(name in known for name in affine.names)


def _sized(dims: Sequence[Dim], exact: Exact) -> list[Dim]:
    """The dimensions whose extents sizes decide, and those of dimensions around them; the others get as far as any."""
    found: list[Dim] = []
    for dim in dims:
        if _is_known(dim.extent, exact, found):
            found.append(dim)
    return found


def _hull(affine: Affine, dims: Sequence[Dim], sign: int) -> Affine:
    """The greatest (sign 1) or least value of `affine` over the points of `dims`, as sizes say; or one beyond it."""
    for dim in reversed(dims):
        c = affine.coefficient(dim.name)
        if c:
            affine = affine.substitute({dim.name: dim.extent - 1 if c * sign > 0 else 0})
    return affine


def _numbers(e: Expression) -> Iterator[tuple[Affine, Interval]]:
    """The affine expressions that a kernel uses as numbers or compares, and between which values they must stay."""
    for guard in (e.md_hom.guard, *(access.guard for access in (*e.reads, *e.out_view))):
        yield from ((g, NUMBER) for g in guard)
    functions = [e.md_hom.function, *(b.function for b in e.between), *(n.function for n in e.indirect)]
    if e.finish is not None:
        functions.append(e.finish.function)
    for function in functions:
        yield from ((i, WORD) for i in index_values(function))


__all__ = ["build_guard"]
