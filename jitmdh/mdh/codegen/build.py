"""Low-level expressions -> kernel IR: whole programs, their guards, their arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.algebra.components import PARTS, part_name
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Buffer,
    Dim,
    Expression,
    MdHom,
    Program,
    ScalarParameter,
    Sequential,
    Step,
)  # fmt: skip
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.scalar import ScalarFunction
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName
from jitmdh.mdh.codegen.data_checks import Checks
from jitmdh.mdh.codegen.frame import FrameLayout, frame_layout
from jitmdh.mdh.codegen.interleaved import Interleaved
from jitmdh.mdh.codegen.kernel_ir import (
    Apply,
    Argument,
    BufferArgument,
    For,
    If,
    Kernel,
    Let,
    Literal,
    Return,
    Scratch,
    SetArgument,
    Statement,
    Value,
    add,
    both,
    compare,
    integer,
    maximum,
    multiply,
)  # fmt: skip
from jitmdh.mdh.codegen.nest import Nest
from jitmdh.mdh.codegen.scope import Scope
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.model import Machine

Lowering = Callable[[Expression], LowLevel]


def build(
    program: Program, lowering: Lowering, machine: Machine, unit_axes: Mapping[str, int | None], checking: Lowering
) -> Kernel:
    """The kernel of a program.

    lowering: the low-level expression for each expression of the program; checking: for its conditions on data;
    unit_axes: for array parameters the axis
    whose stride is known to be one element (None: no axis is).
    """
    frame = frame_layout(program)
    scope = Scope(machine)
    body: list[Statement] = []
    bind_sizes(program, frame, scope, body)
    buffers = _bind_buffers(program, frame, scope, unit_axes, body)
    steps: list[Statement] = []
    for allocation in program.allocations:
        if allocation.fill is not None:
            steps += Nest(lowering(fill_expression(allocation)), scope).write()
    checks = Checks(program, checking, scope)
    for step in program.steps:
        steps += _step(step, lowering, scope, checks)
    returned = {r.name for r in program.returns or ()}
    for allocation in reversed(program.allocations):
        if allocation.name not in returned:
            count: Value = integer(1)
            for extent in allocation.shape:
                count = capped(count, maximum(scope.affine(extent, {}), integer(0)))
            for part, type in parts_of(allocation.name, allocation.type):
                steps = [Scratch(part, type, count, tuple(steps))]
    return Kernel("kernel", tuple(buffers), (*body, *checks.guarded(None, steps), Return(integer(0))))


def capped(left: Value, right: Value) -> Value:
    """`left * right` of sizes; where that is more than memory can hold, some size that is, too."""
    if isinstance(left, Literal) or isinstance(right, Literal):
        return multiply(left, right)
    return Apply("capped_mul", (left, right), int64)


def _step(step: Step, lowering: Lowering, scope: Scope, checks: Checks) -> list[Statement]:
    if isinstance(step, Expression):
        return checks.guarded(step, Nest(lowering(step), scope).write())
    name = scope.index(step.dim.name)
    hidden = scope.sizes.get(step.dim.name)
    scope.sizes[step.dim.name] = name
    body: list[Statement] = []
    for inner in step.body:
        body += _step(inner, lowering, scope, checks)
    if hidden is None:
        del scope.sizes[step.dim.name]
    else:
        scope.sizes[step.dim.name] = hidden
    extent = scope.affine(step.dim.extent, {})
    return [For(name, integer(0), extent, integer(1), tuple(body), f"sequential {step.dim.name}")]


def fill_expression(allocation: Allocation) -> Expression:
    """`allocation[...] = fill` as an expression like any other."""
    assert allocation.fill is not None
    dims = tuple(Dim(f"{allocation.name}.{axis}", extent) for axis, extent in enumerate(allocation.shape))
    md_hom = MdHom(dims, ScalarFunction((), (), (allocation.fill,)), (cc,) * len(dims))
    out = Access(allocation.name, tuple(Affine.of(d.name) for d in dims))
    buffer = Buffer(allocation.name, allocation.type, allocation.shape)
    return Expression(f"fill {allocation.name}", (buffer,), (), md_hom, None, (out,))


def bind_sizes(program: Program, frame: FrameLayout, scope: Scope, out: list[Statement]) -> None:
    """Names for all sizes: slots of the frame, then the program's definitions."""
    integers = {p.name: p.type for p in program.parameters if isinstance(p, ScalarParameter) and p.type.is_integer}
    arrays = {p.name for p in program.parameters if isinstance(p, ArrayParameter)}
    arrays |= {a.name for a in program.allocations}
    for name, argument in frame.sizes().items():
        if name in frame.rank and name not in integers:
            continue
        source: Value = Argument(argument.slot)
        if name in integers and integers[name] != int64:
            source = Apply("cast", (Argument(argument.slot, integers[name]),), int64)
        bound = scope.index(name)
        out.append(Let(bound, source))
        scope.sizes[name] = bound
    for definition in program.definitions:
        value = size_value(definition.value, scope)
        bound = scope.index(definition.name)
        out.append(Let(bound, value))
        scope.sizes[definition.name] = bound


def size_value(expression: SizeExpr, scope: Scope) -> Value:
    if isinstance(expression, SizeConstant):
        return integer(expression.value)
    if isinstance(expression, SizeName):
        return scope.sizes[expression.name]
    left, right = size_value(expression.left, scope), size_value(expression.right, scope)
    match expression.op:
        case "add":
            return add(left, right)
        case "mul":
            return multiply(left, right)
        case "min":
            return Apply("minimum", (left, right), int64)
        case "max":
            return Apply("maximum", (left, right), int64)
        case op:
            return Apply(op, (left, right), int64)


def _bind_buffers(
    program: Program, frame: FrameLayout, scope: Scope, unit_axes: Mapping[str, int | None], out: list[Statement]
) -> list[BufferArgument]:
    written = written_buffers(program.steps) | {a.name for a in program.allocations}
    returned = {r.name for r in program.returns or ()}
    buffers: list[BufferArgument] = []

    def strides(name: str, type: ScalarType, rank: int, unit: int | None, of: str | None = None) -> None:
        """Of a part of an array that the function makes for itself, `of`: those of an array of its own."""
        found: list[Value] = []
        for axis in range(rank):
            if axis == unit:
                found.append(integer(1))
                continue
            bound = scope.index(f"{name}_stride{axis}")
            in_bytes = Argument(frame.stride(of or name, axis))
            size = type.size_bytes if of in (None, name) else 2 * type.size_bytes
            out.append(Let(bound, Apply("exact_div", (in_bytes, integer(size)), int64)))
            found.append(bound)
        scope.strides[name], scope.types[name] = tuple(found), type

    def whole(name: str, type: ScalarType, rank: int, unit: int | None, written: bool, inline: bool = False) -> None:
        """A buffer, or one for each part of its elements."""
        scope.used[name] = 1
        fields = parts_of(name, type)
        if len(fields) == 1:
            strides(name, type, rank, unit)
            buffers.append(BufferArgument(name, type, frame.address(name), written, inline))
            return
        strides(name, type.real, rank, None)
        period = len(fields)
        if unit is not None:
            scope.strides[name] = tuple(integer(period) if a == unit else s for a, s in enumerate(scope.strides[name]))
        for position, (part, part_type) in enumerate(fields):
            scope.strides[part], scope.types[part] = scope.strides[name], part_type
            scope.interleaved[part] = Interleaved(tuple(n for n, _ in fields), position)
            offset = position * part_type.size_bytes
            buffers.append(BufferArgument(part, part_type, frame.address(name), written, inline, offset, name))

    for p in program.parameters:
        if isinstance(p, ArrayParameter):
            whole(p.name, p.type, p.rank, unit_axes.get(p.name), p.name in written)
        else:
            whole(p.name, p.type, 0, None, False, inline=True)
    for a in program.allocations:
        unit = len(a.shape) - 1 if a.shape else None
        if a.name in returned:
            whole(a.name, a.type, len(a.shape), unit, True)
            continue
        for part, part_type in parts_of(a.name, a.type):
            scope.used[part] = 1
            strides(part, part_type, len(a.shape), unit, a.name)
    return buffers


def parts_of(name: str, type: ScalarType) -> tuple[tuple[str, ScalarType], ...]:
    """The buffers that hold what `name` consists of: itself, or the parts of its complex numbers."""
    if type.kind != "c":
        return ((name, type),)
    return tuple((part_name(name, part), type.real) for part in PARTS)


def written_buffers(steps: tuple[Step, ...]) -> set[str]:
    found: set[str] = set()
    for step in steps:
        if isinstance(step, Sequential):
            found |= written_buffers(step.body)
        else:
            found |= {a.buffer for a in step.out_view}
    return found


def build_guard(program: Program, machine: Machine) -> Kernel:
    """Checks of a call, and shapes and strides of arrays made inside: run before anything is written.

    Returns 0, or 1 + the number of the check that failed.
    """
    frame = frame_layout(program)
    scope = Scope(machine)
    body: list[Statement] = []
    bind_sizes(program, frame, scope, body)
    for a in program.allocations:
        shape = [maximum(scope.affine(extent, {}), integer(0)) for extent in a.shape]
        stride: Value = integer(a.type.size_bytes)
        for axis in reversed(range(len(shape))):
            bound = scope.index(f"{a.name}_extent{axis}")
            body.append(Let(bound, shape[axis]))
            body.append(SetArgument(frame.shape(a.name, axis), bound))
            body.append(SetArgument(frame.stride(a.name, axis), stride))
            scope.sizes[shape_name(a.name, axis)] = bound
            stride = multiply(stride, bound)
    for number, check in enumerate(program.checks):
        failed: Value = compare("lt", scope.affine(check.value, {}), integer(0))
        for positive in check.when:
            condition = both(failed, compare("gt", scope.affine(positive, {}), integer(0)))
            assert condition is not None
            failed = condition
        if isinstance(failed, Literal) and not failed.value:
            continue
        body.append(If(failed, (Return(integer(number + 1)),)))
    return Kernel("guard", (), (*body, Return(integer(0))))
