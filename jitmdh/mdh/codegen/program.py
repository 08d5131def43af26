"""Low-level expressions -> kernel IR: whole programs and their arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.records import record
from jitmdh.mdh.algebra.combine import cc
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
    Together,
    expressions,
)  # fmt: skip
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.parts.components import parts_of
from jitmdh.mdh.algebra.scalar import ScalarFunction
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName, is_natural
from jitmdh.mdh.codegen.context.buffers import bind_buffers
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.loops.decomposition.core_parts import work_in_turns
from jitmdh.mdh.codegen.loops.nest import NestWriter, capped
from jitmdh.mdh.codegen.runtime_checks import Checks
from jitmdh.mdh.codegen.together import together
from jitmdh.mdh.codegen.wavefront import lag, wavefront
from jitmdh.mdh.kernel.argument_frame import FrameLayout, frame_layout
from jitmdh.mdh.kernel.arithmetic import add, both, compare, integer, maximum, multiply, negated
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    Assume,
    Declare,
    Fail,
    Failed,
    For,
    If,
    Kernel,
    Let,
    Load,
    Name,
    Return,
    Scratch,
    Statement,
    Value,
    While,
)
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.model import Machine

Lowering = Callable[[Expression], LowLevel]

_SMALL = 1 << 32  # added to a length, it is far from where numbers wrap around


def build(
    program: Program, lowering: Lowering, machine: Machine, unit_axes: Mapping[str, int | None],
    checking: tuple[Lowering, Lowering] | None = None, multiples: Mapping[str, int] | None = None,
    frame: FrameLayout | None = None, sizes: Mapping[str, int] | None = None, any_order: bool = False,
) -> Kernel:  # fmt: skip
    """The kernel of a program.

    lowering: the low-level expression for each expression of the program; checking: for its conditions on data,
    to be fast and to be short; unit_axes: for array parameters the axis whose stride is known to be one element (None:
    no axis is); multiples: what sizes are known to be multiples of, more of them after each lowering; frame: what calls
    pass, if not what this program itself needs; sizes: of the call that the code is made for; any_order: whether floats
    may be combined in an order that differs from call to call.
    """
    frame = frame or frame_layout(program)
    scope = Scope(machine, multiples={} if multiples is None else multiples, typical=sizes or {}, any_order=any_order)
    body: list[Statement] = []
    bind_sizes(program, frame, scope, body)
    buffers = bind_buffers(program, frame, scope, unit_axes, body)
    steps: list[Statement] = []
    for allocation in program.allocations:
        if allocation.fill is not None:
            steps += NestWriter(lowering(fill_expression(allocation)), scope).write()
    checks = Checks(program, *(checking or (lowering, lowering)), scope)
    steps += _steps(program.steps, lowering, scope, checks)
    returned = program.returned
    for allocation in reversed(program.allocations):
        if allocation.name not in returned:
            count: Value = integer(1)
            for extent in allocation.shape:
                count = capped(count, maximum(scope.affine(extent, {}), integer(0)))
            for part, type, _ in parts_of(allocation.name, allocation.type):
                steps = [Scratch(part, type, count, tuple(steps))]
    body += _assumptions(program, scope)
    whole = *body, *checks.before_all(steps), Return(integer(0))
    return Kernel("kernel", tuple(buffers), whole, program.name, program.loc)


def _assumptions(program: Program, scope: Scope) -> Iterator[Assume]:
    """What a call has been checked for, as far as it is about two lengths: procedures look at subscripts one by one,
    and from this follows which of them need not be looked at."""
    if not any(e.procedures for e in expressions(program.steps)):
        return
    lengths = {name: scope.sizes[name] for name, source in frame_layout(program).sizes().items() if source.size}
    for check in program.checks:
        holds = _compared(check.value, lengths)
        for positive in check.when:
            never = _compared(-positive, lengths)
            holds = None if holds is None or never is None else Apply("or", (never, holds), bool_)
        if holds is not None:
            yield Assume(holds)


def _compared(value: Affine, lengths: Mapping[str, Value]) -> Value | None:
    """`value ≥ 0`, if it is the difference of two lengths, one of them maybe a small number."""
    sides = {1: [n for n, c in value.terms if c == 1], -1: [n for n, c in value.terms if c == -1]}
    if len(value.terms) != len(sides[1]) + len(sides[-1]) or any(len(names) > 1 for names in sides.values()):
        return None
    if any(name not in lengths for name in value.names) or abs(value.constant) > _SMALL:
        return None
    more, less = (lengths[names[0]] if names else integer(0) for names in sides.values())
    return compare("ge", add(more, integer(value.constant)), less)


def _steps(
    steps: Sequence[Step], lowering: Lowering, scope: Scope, checks: Checks, around: _Around | None = None
) -> list[Statement]:
    """`steps` one after the other, up to one that ends in an error, or that ends the loop around."""
    out: list[Statement] = []
    for n, step in enumerate(steps):
        code = _step(step, lowering, scope, checks)
        out += code
        on: Value | None = negated(Failed()) if _may_fail(code) else None
        if around is not None and (ends := around.loop.ends(step)):
            for name in ends:
                goes_on = both(around.going, negated(Load(name, integer(0), bool_)))
                out.append(Assign(around.going, goes_on or around.going))
            on = both(on, around.going)
        if n + 1 < len(steps) and on is not None:
            rest = _steps(steps[n + 1 :], lowering, scope, checks, around)
            return [*out, If(on, tuple(rest))]
    return out


def _may_fail(code: Sequence[Statement]) -> bool:
    return any(isinstance(s, Fail) for s in statements(tuple(code)))


def _step(step: Step, lowering: Lowering, scope: Scope, checks: Checks) -> list[Statement]:
    if isinstance(step, Expression):
        return checks.of(step, lowering(step))
    if isinstance(step, Together):
        return together(step, scope, lambda: _steps(step.body, lowering, scope, checks))
    scope.work_in_turns = work_in_turns(step.body) | scope.work_in_turns  # of an outer loop, if there is one
    if step.until:
        return _until(step, lowering, scope, checks)
    if (behind := lag(step)) is not None:
        points, lowering = step.body[0].body, _once(lowering)  # type: ignore[union-attr]
        code = wavefront(step, behind, scope, lambda: _steps(points, lowering, scope, checks))
        if not _may_fail(code):  # an error is that of the first point in order, and the last one that is computed
            return code
    name = scope.index(step.dim.name)
    with scope.numbering(step.dim.name, name):
        body = _steps(step.body, lowering, scope, checks)
    if _may_fail(body):
        body = [If(negated(Failed()), tuple(body))]
    extent = scope.affine(step.dim.extent, {})
    return [For(name, integer(0), extent, integer(1), tuple(body), f"sequential {step.dim.name}")]


def _once(lowering: Lowering) -> Lowering:
    """`lowering`, which is asked about an expression once, wherever its code stands: it counts them."""
    known: dict[int, LowLevel] = {}

    def lowered(expression: Expression) -> LowLevel:
        if id(expression) not in known:
            known[id(expression)] = lowering(expression)
        return known[id(expression)]

    return lowered


@record(frozen=True, slots=True)
class _Around:
    """A loop that data end, and the variable that says whether it goes on."""

    loop: Sequential
    going: Name


def _until(step: Sequential, lowering: Lowering, scope: Scope, checks: Checks) -> list[Statement]:
    """A loop that data end, or an error."""
    number, count, going = scope.index(step.dim.name), scope.index("round"), scope.name("going", bool_)
    extent = scope.affine(step.dim.extent, {})
    with scope.numbering(step.dim.name, number):
        body = _steps(step.body, lowering, scope, checks, _Around(step, going))
    following = add(number, integer(1))
    again: Value = compare("lt", following, extent)
    if _may_fail(body):
        again = both(negated(Failed()), again) or again
    begin = (Let(number, count), Assume(compare("ge", number, integer(0))), Assume(compare("lt", number, extent)))
    end = (Assign(count, following), Assign(going, both(going, again) or going))
    started = (Declare(count, integer(0)), Declare(going, compare("lt", integer(0), extent)))
    return [*started, While(going, (*begin, *body, *end), f"sequential {step.dim.name}")]


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
    bind_arguments(program, frame, scope, out)
    for definition in program.definitions:
        value = size_value(definition.value, scope)
        bound = scope.index(definition.name)
        out.append(Let(bound, value))
        scope.sizes[definition.name] = bound
        if is_natural(definition.value, scope.natural):
            scope.natural.add(definition.name)


def bind_arguments(program: Program, frame: FrameLayout, scope: Scope, out: list[Statement]) -> None:
    """Names for the sizes that are in the frame: shapes and integers."""
    integers = {p.name: p.type for p in program.parameters if isinstance(p, ScalarParameter) and p.type.is_integer}
    arrays = {p.name for p in program.parameters if isinstance(p, ArrayParameter)}
    arrays |= {a.name for a in program.allocations}
    for name, argument in frame.sizes().items():
        if name in frame.rank and name not in integers:
            continue
        source: Value = argument
        if name in integers and integers[name] != int64:
            source = Apply("cast", (Argument(argument.slot, integers[name]),), int64)
        bound = scope.index(name)
        out.append(Let(bound, source))
        scope.sizes[name] = bound


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
