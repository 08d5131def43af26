"""Subscripts: `x[i - 1, 2*j]` as accesses with affine indices, negative ones resolved as Python does."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Operation, Scalar
from jitmdh.mdh.frontend.loops.flat_indices import note_flat, row_index
from jitmdh.mdh.frontend.python.faults import whole
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Lazy, SymbolicValue, Tracer, is_scalar
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.conditions import as_condition
from jitmdh.mdh.frontend.trace_ir.store_forwarding import (
    assign,
    index_reads,
    inner_kept,
    keep_numbers,
    kept_condition,
    kept_now,
    load,
    named_anew,
    numbers_in,
    reads_of,
    settle,
)
from jitmdh.mdh.frontend.trace_ir.trace import IndirectIndex, Target, Trace, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Carried, Read

Place = tuple[tuple[Affine, ...], tuple[Affine, ...]]


def prefixed(t: Tracer, node: ast.Subscript, array: ArrayRef, index: SymbolicValue) -> ArrayRef:
    """`array[index]`, with as many subscripts as are there yet."""
    parts = index if isinstance(index, tuple) else (index,)
    nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice] * len(parts)
    rank = len(t.trace.buffers[array.buffer].shape)
    prefix = array.prefix
    for part, at in zip(parts, nodes):
        if not is_scalar(part):
            t.error(at, f"subscript `{ast.unparse(at)}` is not an integer", "subscripts are affine in loop indices")
        prefix += ((at, part),)  # type: ignore[operator]
    if len(prefix) > rank:
        t.error(node, f"too many subscripts: `{array.buffer}` has {rank} dimension{'s' * (rank != 1)}")
    found = ArrayRef(array.buffer, prefix)
    if len(prefix) < rank and t.recorder is None:
        _touch_row(t, node, found)
    elif len(prefix) < rank:
        _require_row(t, found, len(array.prefix))
    return found


def _require_row(t: Tracer, array: ArrayRef, known: int) -> None:
    """The same in a procedure, of subscripts from `known` on, where it is executed."""
    shape = t.trace.buffers[array.buffer].shape
    for extent, (at, value) in list(zip(shape, array.prefix))[known:]:
        if value.type.kind in "iu":
            indirect(t, at, array, value, extent)


def _touch_row(t: Tracer, node: ast.AST, array: ArrayRef) -> None:
    """A row has to be there, whether anybody reads its elements or not, and whether it has any."""
    trace, domain = t.trace, t.trace.domain()
    axes: list[list[tuple[Affine, tuple[Affine, ...]]]] = []
    for extent, (at, value) in zip(trace.buffers[array.buffer].shape, array.prefix):
        place = affine(value)
        if place is None or has_indirect(place):
            if value.type.kind not in "iu":
                return  # refused where it is used
            require_elements(t, node, trace.buffers[array.buffer].shape[len(array.prefix) :])
            axes.append([(indirect(t, at, array, value, extent), ())])
        elif domain.proves_negative(place):
            axes.append([(place + extent, ())])
        elif domain.proves(place):
            axes.append([(place, ())])
        else:
            axes.append([(place, (place,)), (place + extent, (-place - 1,))])
    for choice in itertools.product(*axes):
        guards = tuple(g for _, own in choice for g in own)
        trace.touch(array.buffer, tuple(i for i, _ in choice), trace.guards + guards, t.loc(node))


def require_elements(t: Tracer, node: ast.AST, shape: Sequence[Affine]) -> None:
    """What data choose along other axes is looked at where these have elements; plain Python serves the other calls."""
    outer = {d.name for d in t.trace.block.dims}
    for extent in shape:
        is_certain = extent.is_constant and extent.constant > 0
        if not is_certain and not has_indirect(extent) and not outer.intersection(extent.names):
            t.fall_back(node, extent - 1, f"`{ast.unparse(node)}` has no elements, and data choose which")


def is_element(t: Tracer, array: ArrayRef) -> bool:
    return len(array.prefix) == len(t.trace.buffers[array.buffer].shape)


def has_no_axes(t: Tracer, value: SymbolicValue) -> bool:
    """Whether a value is a whole array of one element: it is read as a number, and updated in place as an array."""
    if isinstance(value, Lazy):
        return not value.shape
    return isinstance(value, ArrayRef) and not value.prefix and is_element(t, value)


def _places(t: Tracer, array: ArrayRef) -> list[Place]:
    """The elements that `array`'s subscripts may mean, each with where it does; together they cover all points."""
    shape = t.trace.buffers[array.buffer].shape
    axes: list[list[tuple[Affine, tuple[Affine, ...]]]] = []
    for axis, (node, value) in enumerate(array.prefix):
        index = affine(value)
        if index is None:
            axes.append([(indirect(t, node, array, value, shape[axis]), ())])
            continue
        axes.append(_resolved(t, node, index, shape[axis], array.buffer, axis))
    places: list[Place] = []
    for choice in itertools.product(*axes):
        places.append((tuple(i for i, _ in choice), tuple(g for _, guard in choice for g in guard)))
    return places


def resolved(t: Tracer, node: ast.AST, array: ArrayRef, axis: int, value: Scalar) -> Affine:
    """One subscript of an axis, which must not be negative for some iterations only."""
    index = affine(value)
    if index is None:
        _not_affine(t, node, array, value)
    choices = _resolved(t, node, index, t.trace.buffers[array.buffer].shape[axis], array.buffer, axis)
    if len(choices) > 1:
        t.error(node, "subscript is negative for some iterations only", hint="write a loop over the elements")
    return choices[0][0]


def indirect(t: Tracer, node: ast.AST, array: ArrayRef, value: Scalar, extent: Affine) -> Affine:
    """A data-dependent subscript, as a name; the element 0 under conditions that do not hold."""
    trace = t.trace
    if value.type.kind not in "iu":
        _not_affine(t, node, array, value)
    if t.recorder is not None:
        return t.recorder.position(node, value, extent, f"a subscript of {array.buffer} is out of bounds")
    if len(array.prefix) == 1:
        note_flat(trace, array.buffer, value)
    if has_indirect(extent):
        value, extent = _within_part(t, node, value, extent), trace.longest(extent)
    number = data_number(t, node, value, f"subscript `{ast.unparse(node)}` of `{array.buffer}`")
    if trace.guards or trace.condition is not None:
        holds = as_condition(trace, trace.guards)
        if trace.condition is not None:
            holds = t.arithmetic.both(holds, trace.condition)
        holds = _computable(t, node, holds, f"a condition on subscript `{ast.unparse(node)}` of `{array.buffer}`")
        number = t.arithmetic.select(holds, number, t.arithmetic.cast(t.arithmetic.literal(0), number.type))
        message = f"subscript {ast.unparse(node)} of {array.buffer}, which is empty, is under a condition"
        check = Check(extent - 1, "fallback", message, (), t.loc(node))
        if not extent.is_constant and check not in trace.checks:
            trace.checks.append(check)
    return named_number(t, node, number, extent)


def _within_part(t: Tracer, node: ast.AST, value: Scalar, extent: Affine) -> Scalar:
    """A subscript of an axis whose length data decide, counted from the front; IndexError where it is none."""
    apply, size = t.arithmetic.apply, t.arithmetic.cast(t.arithmetic.index(extent), int64)
    zero, number = t.arithmetic.cast(t.arithmetic.literal(0), int64), t.arithmetic.word(value)
    number = t.arithmetic.select(apply("lt", number, zero), apply("add", number, size), number)
    wrong = apply("or", apply("lt", number, zero), apply("ge", number, size))
    return t.faulted(node, number, wrong, "index", f"index `{ast.unparse(node)}` is out of bounds")


def data_number(t: Tracer, node: ast.AST, value: Scalar, what: str) -> Scalar:
    """A data-dependent integer, in a form that can be computed before the point that it leads to."""
    value = _computable(t, node, value, what)
    return t.arithmetic.cast(value, value.type.concrete)


def _computable(t: Tracer, node: ast.AST, value: Scalar, what: str) -> Scalar:
    """`value` of elements as they are before the point; refused where it is of the iteration before, or complex."""
    trace = t.trace
    value = inner_kept(trace, settle(trace, [value])[0])
    if any(isinstance(trace.graph.described(v), Carried) for v in trace.graph.leaves(value)):
        t.error(node, f"{what} comes from the iteration before", hint="compute all of them first, into an array")
    if any(r.type.kind == "c" for r in trace.graph.leaves(value)):
        t.error(node, f"{what} is computed from complex numbers", hint="compute it first, into an array of integers")
    return value


def named_number(t: Tracer, node: ast.AST, value: Scalar, extent: Affine | None) -> Affine:
    """A name for `value` in affine expressions; the same one for the same value."""
    trace = t.trace
    if t.recorder is not None:
        return t.recorder.number(value, extent)
    for known in trace.indirect.values():
        if known.value is value and known.extent == extent:
            return Affine.of(known.name)
    depends: set[str] = set()
    for read in reads_of(trace, value):
        trace.deciding.add(read.buffer)
        depends.update(read_names(trace, read.index))
    for index in trace.graph.indices(value):
        depends.update(read_names(trace, (index,)))
    name = f"@{len(trace.indirect)}"
    loops = frozenset(depends) & {d.name for d in trace.block.dims}
    trace.indirect[name] = IndirectIndex(
        name, value, extent, loops, trace.block.dims, t.loc(node), certain=extent is not None and t.frame.source.inside
    )
    return Affine.of(name)


@contextmanager
def firm_condition(t: Tracer, buffer: str) -> Iterator[None]:
    """Meanwhile, `buffer` may be written without changing the condition on data that holds here."""
    trace, condition = t.trace, t.trace.condition
    if condition is not None and any(r.buffer == buffer for r in reads_of(trace, condition)):
        trace.condition = None
        trace.condition = kept_now(trace, condition)
    try:
        yield
    finally:
        trace.condition = condition


@contextmanager
def noted_reads(t: Tracer, buffer: str) -> Iterator[Callable[[Sequence[Affine]], bool]]:
    """Gives what tells whether a place that is computed meanwhile is decided by elements of `buffer`."""
    recorder = t.recorder
    if recorder is None:
        yield lambda index: any(r.buffer == buffer for r in index_reads(t.trace, index))
    else:
        begun = recorder.moment
        yield lambda _: bool(recorder.read_since(buffer, begun))


def read_names(trace: Trace, index: Sequence[Affine]) -> set[str]:
    """Loops, by name, that subscripts vary with."""
    names = {n for i in index for n in i.names}
    return names | {d for n in names if n in trace.indirect for d in trace.indirect[n].depends}


def _not_affine(t: Tracer, node: ast.AST, array: ArrayRef, value: Scalar) -> NoReturn:
    what = f"subscript `{ast.unparse(node)}` of `{array.buffer}`"
    if value.type.kind not in "iu":
        t.error(node, f"{what} is {value.type.concrete}, not an integer", hint="divide with //, or convert with int")
    data = t.trace.graph.leaves(value)
    why = "it depends on data" if data else "only sums of constant multiples of loop indices and of sizes are"
    t.error(node, f"{what} is not affine", why)


def _resolved(
    t: Tracer, node: ast.AST, index: Affine, extent: Affine, buffer: str, axis: int
) -> list[tuple[Affine, tuple[Affine, ...]]]:
    domain = t.trace.domain()
    if has_indirect(index) or domain.proves(index):  # what depends on data is checked with the data
        return [(index, ())]
    if domain.proves_negative(index):
        return [(index + extent, ())]
    least = domain.least(index)
    if least is not None and not domain.proves_negative(least) and not least.is_constant:
        message = f"subscript {ast.unparse(node)} of {buffer} (axis {axis}) is negative for some indices"
        when = tuple(d.length for d in domain.dims if d.length is not None)
        t.trace.checks.append(Check(least, "fallback", message, _sizes_only(t, when), t.loc(node)))
        return [(index, ())]
    return [(index, (index,)), (index + extent, (-index - 1,))]


def _sizes_only(t: Tracer, when: tuple[Affine, ...]) -> tuple[Affine, ...]:
    dims = {d.name for d in t.trace.block.dims}
    return tuple(w for w in when if not dims.intersection(w.names))


def in_rows(t: Tracer, array: ArrayRef) -> ArrayRef:
    """An element of an array that is seen as rows, by its place in these."""
    if array.buffer not in t.trace.rows or not array.prefix:
        return array
    ((node, value),) = array.prefix
    index = row_index(t.trace, array.buffer, value)
    view, _ = t.trace.rows[array.buffer]
    return ArrayRef(view, tuple((node, t.trace.graph.index(i, value.type)) for i in index))


def read_element(t: Tracer, node: ast.AST, array: ArrayRef) -> Scalar:
    """The value of an element."""
    if t.recorder is not None and (found := t.recorder.read(node, array)) is not None:
        return found
    trace, array = t.trace, in_rows(t, array)
    places = _places(t, array)
    result: Scalar | None = None
    for index, guard in reversed(places):
        whole = trace.guards + guard
        trace.touch(array.buffer, index, whole, t.loc(node))
        if len(places) == 1:
            value = load(trace, array.buffer, index, whole, t.loc(node))
        else:
            value = trace.read(array.buffer, index, whole, t.loc(node))
        result = value if result is None else t.arithmetic.select(as_condition(trace, guard), value, result)
    assert result is not None
    return result


def write_elements(t: Tracer, node: ast.AST, targets: Sequence[tuple[ast.AST, ArrayRef, Scalar]]) -> None:
    """Assign to elements, all at once."""
    if t.recorder is not None:
        t.recorder.write(targets)
        return
    with _condition_of_places(t, [array for _, array, _ in targets]):
        _write(t, node, targets)


@contextmanager
def _condition_of_places(t: Tracer, arrays: Sequence[ArrayRef]) -> Iterator[None]:
    """Meanwhile, elements may be written at subscripts that hang on the condition on data that holds here, though it
    is about elements of the same arrays: it is computed once, when all that it reads has been read."""
    trace, condition = t.trace, t.trace.condition
    written = {array.buffer for array in arrays}
    if condition is None or not any(r.buffer in written for r in reads_of(trace, condition)):
        yield
        return
    places = {n for array in arrays for index, _ in _places(t, in_rows(t, array)) for a in index for n in a.names}
    chosen = {n: trace.indirect[n] for n in places if n in trace.indirect}
    chosen = {n: number for n, number in chosen.items() if _hangs_on(number.value, condition)}
    firm = kept_condition(trace, condition) if chosen else None
    if firm is not None:
        for name, number in chosen.items():
            trace.indirect[name] = named_anew(trace, number, trace.graph.replace(number.value, {id(condition): firm}))
        trace.condition = firm
    try:
        yield
    finally:
        trace.condition = condition


def _hangs_on(value: Scalar, condition: Scalar) -> bool:
    """Whether a number is chosen by a condition."""
    return isinstance(value, Operation) and value.op == "select" and value.operands[0] is condition


def _write(t: Tracer, node: ast.AST, targets: Sequence[tuple[ast.AST, ArrayRef, Scalar]]) -> None:
    trace = t.trace
    resolved: list[Target] = []
    for at, array, given in ((at, in_rows(t, array), given) for at, array, given in targets):
        places, value = _places(t, array), element(t, at, array.buffer, given)
        if len(places) > 1:
            if len(targets) > 1:
                t.error(at, "subscript is negative for some iterations only", hint="assign in statements of their own")
            for index, guard in places:
                with t.where(guard, trace.graph.constant(True, t.arithmetic.literal(True).type)):
                    assign(trace, [target_of(t, at, array.buffer, index, value)], t.loc(node))
            return
        resolved.append(target_of(t, at, array.buffer, places[0][0], value))
    for n, ((at, *_), target) in enumerate(zip(targets, resolved)):
        for later in dict.fromkeys(x.buffer for x in resolved[n:]):
            keep_numbers(trace, [*target.index, *numbers_in(trace, target.value)], later)
        before = {x.buffer for x in resolved[:n]}
        if decisive := sorted({r.buffer for r in index_reads(trace, target.index)} & before):
            t.error(
                at,
                f"`{decisive[0]}` decides a subscript of what is assigned to, and is assigned to",
                "Python assigns from left to right, and reads a subscript when it comes to it",
                hint="write two assignments",
            )
    assign(trace, resolved, t.loc(node))


def element(t: Tracer, at: ast.AST, buffer: str, value: Scalar) -> Scalar:
    """A number as one element of an array takes it: NumPy makes it an `int` for signed ones, whole arrays are cast."""
    type = t.trace.buffers[buffer].type
    if value.type.kind == "f" and (type.kind == "i" or (type.kind == "u" and value.type.is_weak)):
        return whole(t, at, value, type)
    return value


def target_of(
    t: Tracer, at: ast.AST, buffer: str, index: tuple[Affine, ...], value: Scalar, of_array: bool = False
) -> Target:  # fmt: skip
    """The assignment of `value` to an element: converted, and only where the conditions around hold.

    of_array: it is an element of an array, which NumPy converts without a look at what fits. So is an update of the
    element, which is taken to be one of many: what does not fit in between may fit in the end.
    """
    trace = t.trace
    type = trace.buffers[buffer].type
    if type.kind != "c" and value.type.kind == "c":
        t.error(at, f"a complex value does not fit into `{buffer}`, which is {type}", hint="take its .real")
    own = [x for v in trace.graph.leaves(value) if isinstance(x := trace.graph.described(v), Read)]
    updated = any(x.buffer == buffer and x.index == index for x in own)
    value = t.arithmetic.cast(value, type) if of_array or updated else t.arithmetic.stored(value, type)
    if trace.condition is not None:
        old = load(trace, buffer, index, trace.guards, t.loc(at))
        value = t.arithmetic.select(trace.condition, value, t.arithmetic.cast(old, type))
    return Target(buffer, index, value, not trace.is_certain, t.loc(at))
