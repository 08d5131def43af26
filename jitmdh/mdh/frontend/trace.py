"""`trace`: a function and the types of its arguments to a program of the algebra."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

from jitmdh.base.dtype import ScalarType, weak_bool, weak_complex, weak_float, weak_int
from jitmdh.base.errors import ArgumentTypeError, NotAnMdhError, TooLargeError
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.mdh.algebra.bounds import data_checks, written_for_good
from jitmdh.mdh.algebra.check import check as check_program
from jitmdh.mdh.algebra.expr import (
    Allocation,
    ArrayParameter,
    Check,
    Program,
    RowView,
    ScalarParameter,
    part_name,
    returned_names,
)
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.rewrites.dimensions.delinearisation import delinearised
from jitmdh.mdh.algebra.rewrites.neighbours.finish_apart import with_finishes_apart
from jitmdh.mdh.algebra.rewrites.neighbours.fusion import fused_program
from jitmdh.mdh.algebra.rewrites.neighbours.loop_interchange import with_steps_at_points
from jitmdh.mdh.algebra.rewrites.once.equal_results import with_equal_results_once
from jitmdh.mdh.algebra.rewrites.once.invariant_reductions import hoist_invariant_reductions
from jitmdh.mdh.algebra.rewrites.once.repeated_functions import with_functions_computed_once
from jitmdh.mdh.algebra.scalar import Constant
from jitmdh.mdh.frontend.interpreter.expressions import evaluate
from jitmdh.mdh.frontend.interpreter.statements import run
from jitmdh.mdh.frontend.loops.dependence import accesses
from jitmdh.mdh.frontend.loops.flat_indices import NotInRows, declare_rows
from jitmdh.mdh.frontend.loops.fusion import shaped, without_unread
from jitmdh.mdh.frontend.python.iteration.loop_directives import Directive, declare, require_declared
from jitmdh.mdh.frontend.python.tracer import (
    MOST_NODES,
    ArrayRef,
    LastArray,
    LastValue,
    LastValueError,
    ListOf,
    RecordRef,
    Structure,
    SymbolicValue,
    Tracer,
    new_tracer,
)
from jitmdh.mdh.frontend.python.values import constant
from jitmdh.mdh.frontend.results import Returned, returned_of
from jitmdh.mdh.frontend.source.capture import Source, as_function
from jitmdh.mdh.frontend.source.environment import Environment
from jitmdh.mdh.frontend.symbolic.operators import functions_of
from jitmdh.mdh.frontend.to_algebra.accesses import Accesses
from jitmdh.mdh.frontend.to_algebra.bounds_checks import before_data, bounds_checks, unused_indirect
from jitmdh.mdh.frontend.to_algebra.expressions import Emitter
from jitmdh.mdh.frontend.to_algebra.zero_fills import without_fills
from jitmdh.mdh.frontend.trace_ir.argument_types import (
    ArgumentType,
    ArrayType,
    ConstantKind,
    Group,
    ScalarKind,
    names_of,
)
from jitmdh.mdh.frontend.trace_ir.check import check
from jitmdh.mdh.frontend.trace_ir.show import show
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, Item, has_indirect

Combine = Mapping[str, Directive]
Made = tuple[tuple[Group | None, ...], tuple[str, ...], list[ast.AST] | None, frozenset[str]]
"""How arguments are made of the types given, names of arrays from outside, `Tracer.left` and `Tracer.otherwise`."""
_WEAK = {"b": weak_bool, "i": weak_int, "f": weak_float, "c": weak_complex}


def trace(
    source: Source, argument_types: tuple[ArgumentType, ...], *, combine: Combine | None = None,
    aliases: tuple[tuple[int, int], ...] = (), reassociate: bool = True, environment: Environment | None = None,
    delinearise: bool = True, structure: tuple[Group | None, ...] = (), outside: tuple[str, ...] = (),
    leaving: bool = True, otherwise: frozenset[str] = frozenset(), blocks: bool = False,
) -> Program:  # fmt: skip
    """The program that `source` stands for when called with arguments of these types.

    combine: directives for loops, by the loop's variable: operators that cannot be seen in the source, or the order of
    the iterations; aliases: pairs of positions whose arguments are the same array; reassociate: whether floating-point
    sums may be reordered; environment: records what is read from around the function; delinearise: whether arrays with
    flat subscripts may become views of rows; structure: how arguments are made of these types, for each, empty: each is
    one; outside: names of arrays from around the function, whose types are the last; leaving: whether loops that data
    end may become sequential loops; otherwise: places of checks that do not hold (`Check.place`); blocks:
    whether arrays are in blocks, so that vectors stay what they are.

    Raises NotAnMdhError with the place in the source; TooLargeError for a function that takes too long to compile.
    """
    left: list[ast.AST] | None = [] if leaving else None
    while True:
        try:
            executed = execute(
                source, argument_types, combine, aliases, reassociate, environment, delinearise, structure, outside,
                left, otherwise,
            )  # fmt: skip
            program = _program(executed, combine or {})
            break
        except NotAnMdhError:
            if not left:
                raise
            left = None  # as procedures
    for step in (
        without_fills, partial(delinearised, views=delinearise and not blocks), hoist_invariant_reductions,
        with_equal_results_once, with_steps_at_points, fused_program, with_functions_computed_once,
        with_finishes_apart,
    ):  # fmt: skip
        program = step(program)
        if config.check:
            check_program(program)
    return program


@dataclass(frozen=True, slots=True)
class Executed:
    """A function after its symbolic execution. items: the statements of its trace, fused; result: what it gives, as a
    list if `returns_list`."""

    source: Source
    tracer: Tracer
    items: list[Item]
    result: Returned
    returns_list: bool

    def __str__(self) -> str:
        return show(self.tracer.trace, self.items, self.source.name, self.source.loc(self.source.definition))


def execute(
    source: Source, argument_types: tuple[ArgumentType, ...], combine: Combine | None = None,
    aliases: tuple[tuple[int, int], ...] = (), reassociate: bool = True, environment: Environment | None = None,
    delinearise: bool = True, structure: tuple[Group | None, ...] = (), outside: tuple[str, ...] = (),
    left: list[ast.AST] | None = None, otherwise: frozenset[str] = frozenset(),
) -> Executed:  # fmt: skip
    """The trace of `source`; parameters and errors as of `trace`. left: as of `Tracer`."""
    made = structure, outside, left, otherwise
    flat: dict[str, set[tuple[str, ...]]] = {}
    found, refusal = None, None
    last: dict[LastValue, ScalarType | LastArray | None] = {}
    while True:
        flat.clear()
        try:
            found = _executed(source, argument_types, combine, aliases, reassociate, environment, {}, flat, made, last)
        except LastValueError as needed:
            last[needed.value] = needed.type
            continue
        except NotAnMdhError as error:
            refusal = error
        break
    rows = {name: next(iter(ways)) for name, ways in flat.items() if len(ways) == 1}
    while rows and delinearise:
        try:
            again = _executed(source, argument_types, combine, aliases, reassociate, environment, rows, {}, made, last)
        except NotInRows as other:
            del rows[other.array]
            continue
        except NotAnMdhError:
            break
        flat_as_well = rows.keys() & _used(again)
        if not flat_as_well:
            return again
        rows = {name: inner for name, inner in rows.items() if name not in flat_as_well}
    if refusal is not None:
        raise refusal
    assert found is not None
    return found


def _require_known(checks: Iterable[Check]) -> None:
    """Refuse what a call asks beforehand where only data, on the way, decide it."""
    for one in checks:
        if has_indirect(one.value):
            hint = "allocate arrays as large as they may be, and loop over the part in use"
            raise NotAnMdhError(one.message, loc=one.loc, reason="whether it is so, data decide on the way", hint=hint)


def _require_unwritten(t: Tracer) -> None:
    """Refuse an array that is written to after NumPy has made a view or a copy of it, by its strides."""
    for (buffer, loc), since in t.trace.joined.items():
        if t.trace.stored.get(buffer, 0) > since:
            text = f"`{buffer}` is written to after this reshape of it"
            reason = "NumPy makes a view or a copy of it, by the array's strides"
            raise NotAnMdhError(text, loc=loc, reason=reason, hint="copy first: x.copy().reshape(…)")


def _used(executed: Executed) -> set[str]:
    """Names of the arrays that a trace reads or writes."""
    trace = executed.tracer.trace
    looked_at = {touch.buffer for touch in trace.touched if touch.buffer is not None}
    return {a.buffer for item in executed.items for a in accesses(trace, item)} | looked_at


def _executed(
    source: Source, argument_types: tuple[ArgumentType, ...], combine: Combine | None,
    aliases: tuple[tuple[int, int], ...], reassociate: bool, environment: Environment | None,
    rows: Mapping[str, tuple[str, ...]], flat: dict[str, set[tuple[str, ...]]], made: Made,
    last: dict[LastValue, ScalarType | LastArray | None],
) -> Executed:  # fmt: skip
    """rows: arrays that have flat subscripts only, with the lengths of their inner axes; flat: what is noted."""
    source = as_function(source)
    statics = {n: type.value for n, type in enumerate(argument_types) if isinstance(type, ConstantKind)}
    environment = environment or Environment(source.function, functions_of(combine or {}), statics)
    environment.source(source.function)
    t = new_tracer(source, reassociate, environment)
    t.evaluator, t.runner, t.trace.flat, t.left, t.otherwise = evaluate, run, flat, made[2], made[3]
    definition = source.definition
    assert isinstance(definition, ast.FunctionDef)
    t.last_values = last
    _require_small(t, definition)
    _bind(t, definition, argument_types, aliases, made)
    declare_rows(t.trace, rows)
    declare(t, combine or {})
    returned = t.run(definition.body)
    result = returned_of(t, definition, returned)
    _require_unwritten(t)
    items = t.trace.block.items
    if config.check:
        check(t.trace, items, "execution")
    items = without_unread(t.trace, shaped(t.trace, items))
    if config.check:
        check(t.trace, items, "fusion")
    return Executed(source, t, items, result, isinstance(returned, ListOf))


def _program(executed: Executed, combine: Combine) -> Program:
    """Trace → algebra, before any rewrite."""
    t, items, source = executed.tracer, executed.items, executed.source
    accesses = Accesses(t.trace)
    accesses.contract(items)
    emitter = Emitter(t.trace, source.name, accesses)
    steps = emitter.steps(items)
    require_declared(t, combine, steps)
    accesses.used.update(returned_names(executed.result.returns))
    checks = (*map(before_data, t.trace.checks), *bounds_checks(t.trace, emitter), *unused_indirect(t.trace, emitter))
    _require_known(checks)
    allocations = _allocations(t, accesses, returned_names(executed.result.returns))
    definitions = tuple(t.trace.definitions.values())
    program = Program(
        source.name, tuple(t.trace.parameters), definitions, allocations, tuple(dict.fromkeys(checks)), steps,
        executed.result.returns, executed.result.is_tuple, source.loc(source.definition), tuple(t.trace.faults or ()),
        executed.returns_list, _views(t, accesses), values=executed.result.values,
    )  # fmt: skip
    _require_beginning(program)
    return program


def _require_beginning(program: Program) -> None:
    """Refuse what only plain Python can do, where data are found to be so when a call cannot be begun again."""
    again = "plain Python does it, and cannot begin again where arguments have been written to"
    made = next((f for f in program.faults if f.kind == "raise"), None)
    if made is not None and written_for_good(program):
        hint = "raise one of Python's exceptions with a text that is written out, or do this in a function of its own"
        raise NotAnMdhError(f"data decide whether {made.message}", loc=made.loc, reason=again, hint=hint)
    late = next((c for c in data_checks(program) if c.kind == "fallback" and not c.again), None)
    if late is not None:
        text = f"data decide whether {late.message}"
        raise NotAnMdhError(text, loc=late.loc, reason=again, hint="write these arrays in a function of their own")


def _require_small(t: Tracer, definition: ast.FunctionDef) -> None:
    nodes = len(t.inside(definition))
    if nodes > MOST_NODES:
        raise TooLargeError(
            f"`{definition.name}` is too large to compile",
            loc=t.loc(definition),
            reason=f"it has {nodes} nodes of syntax; up to {MOST_NODES} are compiled",
            hint="make several functions of it",
        )


def _bind(
    t: Tracer, definition: ast.FunctionDef, types: tuple[ArgumentType, ...], aliases: tuple[tuple[int, int], ...],
    made: Made,
) -> None:  # fmt: skip
    spec, (structure, outside, *_) = definition.args, made
    if spec.kwarg or (spec.vararg and not structure):
        t.error(definition, "a compiled function cannot take *args or **kwargs", hint="name its parameters")
    several = [spec.vararg] if spec.vararg else []
    parameters = [a.arg for a in (*spec.posonlyargs, *spec.args, *several, *spec.kwonlyargs)]
    structure = structure or (None,) * len(parameters)
    names = [leaf for name, group in zip(parameters, structure) for leaf in names_of(name, group)] + list(outside)
    if len(names) != len(types) or len(parameters) != len(structure):
        raise ArgumentTypeError(
            f"`{definition.name}` takes {len(names)} arguments, {len(types)} given", loc=t.loc(definition)
        )
    same = {max(a, b): min(a, b) for a, b in aliases}
    t.trace.names.update(names)
    values = []
    for n, (name, type) in enumerate(zip(names, types)):
        first = n
        while first in same:
            first = same[first]
        values.append(_argument(t, name, type, names[first], n))
    leaves = iter(values)
    t.env.update((name, _assembled(group, leaves)) for name, group in zip(parameters, structure))
    t.given.update(t.env)
    t.env.update(zip(outside, leaves))


def _assembled(group: Group | None, leaves: Iterator[SymbolicValue]) -> SymbolicValue:
    """The next argument from its leaves."""
    if group is None:
        return next(leaves)
    parts = tuple([_assembled(part, leaves) for _, part in group.parts])
    return (
        parts
        if group.kind == "tuple"
        else Structure(parts, tuple(n for n, _ in group.parts), group.kind, group.is_tuple)
    )


def _argument(t: Tracer, name: str, type: ArgumentType, first: str, position: int) -> SymbolicValue:
    trace = t.trace
    match type:
        case ArrayType(element, rank, ones, fortran):
            trace.parameters.append(ArrayParameter(name, element, rank, ones))
            extents = [Affine.of(shape_name(name, axis)) for axis in range(rank)]
            for axis in ones:
                differs = f"axis {axis} of `{name}` is longer than 1"
                trace.checks += [
                    Check(extents[axis] - 1, "fallback", differs),
                    Check(1 - extents[axis], "fallback", differs),
                ]
                extents[axis] = Affine((), 1)
            shape = tuple(extents)
            if element.fields:
                fields = tuple(field for field, _, _ in element.fields)
                for field, field_type, _ in element.fields if first == name else ():
                    part = part_name(name, field)
                    trace.buffers[part] = BufferInfo(part, field_type, shape, of=name, apart=not element.is_uniform)
                return RecordRef(first, fields)
            if first != name:
                return ArrayRef(first)
            trace.buffers[name] = BufferInfo(name, element, shape, fortran=fortran)
            return ArrayRef(name)
        case ScalarKind(element, weak):
            element = _WEAK[element.kind] if weak else element
            trace.parameters.append(ScalarParameter(name, element.concrete))
            trace.buffers[name] = BufferInfo(name, element, ())
            if element.is_integer:
                return trace.graph.index(Affine.of(name), element)
            return trace.read(name, ())
        case ConstantKind():
            trace.parameters.append(ScalarParameter(name, weak_bool.concrete))  # something stands in its place
            return constant(t, t.frame.source.definition, t.environment.argument(position))


def _views(t: Tracer, accesses: Accesses) -> tuple[RowView, ...]:
    views = [(t.trace.buffers[view], name) for name, (view, _) in t.trace.rows.items()]
    return tuple(RowView(v.name, name, v.type.concrete, v.shape) for v, name in views if v.name in accesses.used)


def _allocations(t: Tracer, accesses: Accesses, returned: Collection[str]) -> tuple[Allocation, ...]:
    found = []
    for info in t.trace.buffers.values():
        if not info.allocated or info.name not in accesses.used:
            continue
        fill = info.fill
        value = Constant(fill.value, info.type.concrete) if isinstance(fill, Constant) else None
        fortran = info.fortran and info.name in returned
        shape = accesses.shape(info.name)
        found.append(Allocation(info.name, info.type.concrete, shape, value, fortran=fortran))
    return tuple(found)
