"""Array expressions: `a * x + b`, broadcast as NumPy does, as functions of the index, and the loops that store them.

    out[:] = a * x + y[:, None]    ->    for i: for j: out[i, j] = a * x[j] + y[i]

An expression is computed where it is used, so what is element-wise becomes part of the reduction or the store that
consumes it. Extents are known by name only: two that differ in name are taken to be equal, and a call where they are
not (one of them may be 1, which NumPy broadcasts) runs the undecorated function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import numpy as np

from jitmdh.base.dtype import ScalarType, int8, int64
from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.loops.loop_distribution import close
from jitmdh.mdh.frontend.python.faults import divided, quotient
from jitmdh.mdh.frontend.python.records import like
from jitmdh.mdh.frontend.python.subscripts import (
    element,
    has_no_axes,
    indirect,
    is_element,
    require_elements,
    resolved,
    target_of,
)
from jitmdh.mdh.frontend.python.tracer import (
    MASKED,
    ArrayRef,
    Axis,
    Lazy,
    Masked,
    Static,
    Step,
    SymbolicValue,
    Tracer,
    View,
    given,
    stepped,
)
from jitmdh.mdh.frontend.python.values import as_scalar, is_square_of_bools, one_power, type_of_elements
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.domain import Domain
from jitmdh.mdh.frontend.trace_ir.store_forwarding import (
    assign,
    components_of,
    index_reads,
    keep_numbers,
    load,
    numbers_in,
    taken_in,
)
from jitmdh.mdh.frontend.trace_ir.trace import Block, BufferInfo, has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim, Read

Index = tuple[Affine, ...]
ZERO, ONE = Affine(), Affine((), 1)


def is_array(t: Tracer, value: SymbolicValue) -> bool:
    """Whether a value has axes."""
    if isinstance(value, Lazy):
        return bool(value.shape)
    return isinstance(value, Masked) or (isinstance(value, ArrayRef) and not is_element(t, value))


def lazy(t: Tracer, node: ast.AST, value: SymbolicValue) -> Lazy:
    """An array as an expression; a number has no axes."""
    if isinstance(value, Lazy):
        return value
    if isinstance(value, Masked):
        known = t.compressed.get(value)
        if known is None or t.trace.buffers.get(known[0].name) is not known[0]:  # it may have been rolled back
            array = _compressed(t, node, value)
            assert array.view is not None
            t.compressed[value] = t.trace.buffers[array.view.buffer], array
            for frame in t.frames:  # from here on it may be written to
                frame.env.update((name, _instead(v, value, array)) for name, v in frame.env.items())
        return t.compressed[value][1]
    if isinstance(value, ArrayRef) and (has_no_axes(t, value) or not is_element(t, value)):
        return of_reference(t, node, value)
    number = as_scalar(t, node, value)
    return Lazy((), number.type, lambda _: number)


def _instead(value: SymbolicValue, old: Masked, new: Lazy) -> SymbolicValue:
    """`value` with `new` in the place of `old`."""
    if isinstance(value, tuple):
        return like(value, (_instead(v, old, new) for v in value)) if any(v is old for v in value) else value
    return new if value is old else value


def may_be_compressed(t: Tracer) -> bool:
    """Whether elements that a mask chooses can become an array here: outside of loops, where it is certainly made."""
    trace = t.trace
    return trace.block.loop is None and t.recorder is None and not trace.guards and trace.condition is None


def _compressed(t: Tracer, node: ast.AST, chosen: Masked) -> Lazy:
    """Elements that a mask chooses as an array of their own, whose length data decide."""
    if not may_be_compressed(t):
        t.error(chosen.node, f"subscript `{ast.unparse(chosen.node)}` is an array of bools", *MASKED)
    place, is_vector = chosen.node, len(chosen.mask.shape) == 1
    along_first = "places" if is_vector and _are_places(t, chosen.values) else 0
    axis = [ast.keyword("axis", ast.copy_location(ast.Constant(along_first), place))] if is_vector else []
    arguments: list[ast.expr] = [given(place, chosen.mask), given(place, chosen.values)]
    function = given(place, Static(np.compress if is_vector else np.extract))
    return lazy(t, node, t.evaluate(ast.copy_location(ast.Call(function, arguments, axis), place)))


def _are_places(t: Tracer, values: Lazy) -> bool:
    """Whether an array is 0, 1, 2, …"""
    if len(values.shape) != 1 or values.heavy:
        return False
    anywhere = Affine.of("%at0")
    return _seen(t, lambda: values.at((anywhere,)) is t.trace.graph.index(anywhere, int64))


def of_reference(t: Tracer, node: ast.AST, array: ArrayRef) -> Lazy:
    shape = t.trace.buffers[array.buffer].shape
    inside = t.recorder is not None and any(_is_data(value) for _, value in array.prefix)
    axes: list[Axis] = []
    for axis, (at, value) in enumerate(array.prefix):
        axes.append((indirect(t, at, array, value, shape[axis]) if inside else _of_axis(t, at, array, axis, value), ()))
    skip = len(axes)
    if any(has_indirect(index) for index, _ in axes):
        require_elements(t, node, shape[skip:])
    if axes and not inside:  # the row has to be there even where it has no elements
        t.trace.touch(array.buffer, tuple(index for index, _ in axes), t.trace.guards, t.loc(node))
    axes += [along(n) for n in range(len(shape) - skip)]
    return of_view(t, node, View(array.buffer, tuple(axes)), shape[skip:])


def _of_axis(t: Tracer, node: ast.AST, array: ArrayRef, axis: int, value: Scalar) -> Affine:
    """A subscript in front of the axes that are left; data may decide it."""
    if affine(value) is None and value.type.kind in "iu":
        return indirect(t, node, array, value, t.trace.buffers[array.buffer].shape[axis])
    return resolved(t, node, array, axis, value)


def _is_data(value: Scalar) -> bool:
    known = affine(value)
    return known is None or has_indirect(known)


def of_view(t: Tracer, node: ast.AST, view: View, shape: tuple[Affine, ...]) -> Lazy:
    """The elements that a view names."""
    type = t.trace.buffers[view.buffer].type
    return Lazy(shape, type, lambda index: element_at(t, node, view.buffer, place(view, index)), view)


def element_at(t: Tracer, node: ast.AST, buffer: str, index: Index) -> Scalar:
    """The element of a buffer at a place that exists."""
    found = None if t.recorder is None else t.recorder.element(buffer, index)
    return load(t.trace, buffer, index, t.trace.guards, t.loc(node)) if found is None else found


def assign_at(t: Tracer, node: ast.AST, buffer: str, index: Index, value: Scalar, of_array: bool) -> None:
    """Assign to the element of a buffer at a place that exists; of_array: as of `target_of`."""
    if t.recorder is None:
        assign(t.trace, [target_of(t, node, buffer, index, value, of_array)], t.loc(node))
        return
    type = t.trace.buffers[buffer].type
    if type.kind != "c" and value.type.kind == "c":
        t.error(node, f"a complex value does not fit into `{buffer}`, which is {type}", hint="take its .real")
    value = t.arithmetic.cast(value, type) if of_array else t.arithmetic.stored(value, type)
    t.recorder.assign(buffer, index, value)


def place(view: View, index: Index) -> Index:
    """Where in the buffer an element of a view lies."""
    return places(view.axes, index)


def places(axes: Sequence[Axis], index: Index) -> Index:
    """Where the elements of an index lie in an array that it runs through along `axes`."""
    return tuple(sum((stepped(index[axis], step) for axis, step in parts), offset) for offset, parts in axes)


def along(axis: int, offset: Affine = ZERO, step: Step = 1) -> Axis:
    """What follows one axis of the index."""
    return offset, ((axis, step),)


def chosen(t: Tracer, node: ast.AST, condition: Scalar, then: SymbolicValue, otherwise: SymbolicValue) -> Lazy | None:
    """`then if condition else otherwise` of arrays, as what can be read; None: they are of several shapes or types.

    Where only the call tells whether they have one shape, plain Python serves those calls where they do not.
    """
    one, other = lazy(t, node, then), lazy(t, node, otherwise)
    if len(one.shape) != len(other.shape) or one.type != other.type:
        return None
    unlike = [(a, b) for a, b in zip(one.shape, other.shape) if a != b]
    if any((a - b).is_constant or has_indirect(a, b) for a, b in unlike):
        return None
    for a, b in unlike:
        same_extent(t, node, a, b)

    def at(index: Index) -> Scalar:
        return t.arithmetic.select(condition, one.at(index), other.at(index))

    return Lazy(one.shape, one.type, at, perhaps=one.seen_through | other.seen_through)


def same_mask(t: Tracer, one: Lazy, other: Lazy) -> bool:
    """Whether two arrays of bools have the same elements for sure: the same reads, and the same done with them."""
    if one is other:
        return True
    if len(one.shape) != len(other.shape) or one.heavy or other.heavy or one.scan != other.scan or one.scan is not None:
        return False
    anywhere = tuple(Affine.of(f"%at{n}") for n in range(len(one.shape)))
    return one.shape == other.shape and _seen(t, lambda: one.at(anywhere) is other.at(anywhere))


def _seen(t: Tracer, holds: Callable[[], bool]) -> bool:
    """Whether it is so, of elements that are only looked at: what is read for it is no part of a procedure."""
    found: list[bool] = []

    def look() -> bool:
        found.append(holds())
        return False

    if t.recorder is None:
        return holds()
    t.recorder.attempt(look)
    return found[0]


# ------------------------------------------------------------------------------------------------------- extents


def holds(t: Tracer, node: ast.expr, value: Affine, message: str) -> bool:
    """Whether `value` ≥ 0 in all calls that are traced: assumed, until a call comes of which it is not so."""
    place = f"{value} < 0 in line {node.lineno - t.frame.source.definition.lineno} of {t.frame.source.name}"
    negative = value * -1 - 1
    if t.trace.domain().proves(negative):
        return False
    if place in t.otherwise:
        require(t, node, negative, f"{message} in some of its uses only")
        return False
    require(t, node, value, message, place)
    return True


def require(
    t: Tracer, node: ast.AST, value: Affine, message: str, place: str = "", otherwise: type[Exception] = ValueError
) -> None:  # fmt: skip
    """`value` ≥ 0, or the undecorated function runs. place: as of `Check`; otherwise: IndexError where that is what
    Python raises, so that it need not be asked."""
    trace = t.trace
    if t.recorder is not None and has_indirect(value):
        t.recorder.require(node, t.arithmetic.apply("ge", t.arithmetic.index(value), t.arithmetic.literal(0)), message)
        return
    facts = tuple(c.value for c in trace.checks if c.kind == "fallback" and not c.when)
    domain = Domain(trace.block.dims, trace.guards, facts)
    if domain.proves(value) or domain.proves(trace.shortest(value)):
        return
    if has_indirect(value):
        _require_of_data(t, node, value, message, otherwise)
        return
    least = domain.least(value)
    if least is None or (least.is_constant and least.constant < 0 and not domain.dims):
        t.error(node, message)
    dims = {d.name for d in domain.dims}
    when = tuple(d.length for d in domain.dims if d.length is not None and not dims.intersection(d.length.names))
    trace.checks.append(Check(least, "fallback", message, when, t.loc(node), place))


def _require_of_data(t: Tracer, node: ast.AST, value: Affine, message: str, otherwise: type[Exception]) -> None:
    """The same of what data decide: looked at where it stands. Python then raises what it does."""
    at = ast.Name("", ast.Load(), lineno=node.lineno, col_offset=node.col_offset)  # type: ignore[attr-defined]
    wrong = t.arithmetic.apply("lt", t.arithmetic.index(value), t.arithmetic.literal(0))
    own = ast.Constant(message) if otherwise is IndexError else given(at, t.arithmetic.index(value))
    statement = ast.If(given(at, wrong), [ast.Raise(ast.Call(given(at, Static(otherwise)), [own], []), None)], [])
    t.run([ast.fix_missing_locations(ast.copy_location(statement, node))])


def same_extent(t: Tracer, node: ast.AST, a: Affine, b: Affine) -> None:
    """Two axes have one length."""
    if a != b:
        if has_indirect(a, b):
            one, other = (t.trace.slices.get(e.names[0]) if len(e.names) == 1 else None for e in (a, b))
            if one is not None and other is not None and one[:2] == other[:2]:
                same_extent(t, node, one[2], other[2])
                return
            if t.recorder is not None:
                same = t.arithmetic.apply("eq", t.arithmetic.index(a), t.arithmetic.index(b))
                t.recorder.require(node, same, "axes of two arrays do not have the same length")
                return
        difference = a - b
        message = f"axes of length {a} and {b} do not have the same length"
        if difference.is_constant:
            t.error(node, message)
        require(t, node, difference, message)
        require(t, node, -difference, message)


def broadcast(t: Tracer, node: ast.AST, shapes: Sequence[tuple[Affine, ...]]) -> tuple[Affine, ...]:
    """The shape that arrays of these shapes have together."""
    rank = max((len(s) for s in shapes), default=0)
    result = []
    for axis in range(-rank, 0):
        extents = [s[axis] for s in shapes if len(s) >= -axis]
        chosen = next((e for e in extents if e != ONE), ONE)
        for e in extents:
            if e != ONE:
                same_extent(t, node, chosen, e)
        result.append(chosen)
    return tuple(result)


def aligned(shape: tuple[Affine, ...], index: Index) -> Index:
    """The index into an array of `shape` that belongs to `index` into what it is broadcast to."""
    own = index[len(index) - len(shape) :]
    return tuple(Affine() if e == ONE else i for e, i in zip(shape, own))


# --------------------------------------------------------------------------------------------------- expressions


def elementwise(
    t: Tracer, node: ast.AST, operands: Sequence[SymbolicValue], function: Callable[[list[Scalar]], SymbolicValue]
) -> Lazy:  # fmt: skip
    """`function` of corresponding elements; numbers stay numbers, whose types adapt. Of
    elements that a mask chooses, and of numbers, too."""
    masked = [v for v in operands if isinstance(v, Masked)]
    if masked and all(isinstance(v, Masked) or not is_array(t, v) for v in operands):
        for other in masked[1:]:
            if not same_mask(t, masked[0].mask, other.mask) and may_be_compressed(t):
                return elementwise(
                    t, node, [lazy(t, node, v) if isinstance(v, Masked) else v for v in operands], function
                )
            if not same_mask(t, masked[0].mask, other.mask):
                t.error(other.node, f"`{ast.unparse(masked[0].node)}` and `{ast.unparse(other.node)}` choose elements",
                        "whether they choose as many depends on data", "use one mask for both")  # fmt: skip
        own = [v.values if isinstance(v, Masked) else v for v in operands]
        return replace(masked[0], values=elementwise(t, node, own, function), owned=False)  # type: ignore[return-value]
    arrays = [lazy(t, node, v) if is_array(t, v) else as_scalar(t, node, v) for v in operands]
    arrays = [once(t, node, a) if isinstance(a, Lazy) and a.scan is not None else a for a in arrays]
    shape = broadcast(t, node, [a.shape for a in arrays if isinstance(a, Lazy)])
    parts = [once(t, node, a) if isinstance(a, Lazy) and a.heavy and a.shape != shape else a for a in arrays]
    graph = t.trace.graph
    samples = [graph.variable(f"%sample{n}", p.type) if isinstance(p, Lazy) else p for n, p in enumerate(parts)]
    type = type_of_elements(t, node, (as_scalar(t, node, function(samples)),))

    def at(index: Index) -> Scalar:
        elements = [p.at(aligned(p.shape, index)) if isinstance(p, Lazy) else p for p in parts]
        return t.arithmetic.cast(as_scalar(t, node, function(elements)), type)

    heavy = any(isinstance(p, Lazy) and p.heavy for p in parts)
    orders = {is_fortran(t, a) for a in arrays if isinstance(a, Lazy)}
    return Lazy(shape, type, at, heavy=heavy, fortran=True in orders and False not in orders)


def is_fortran(t: Tracer, array: Lazy) -> bool | None:
    """Whether NumPy has an array in the order of Fortran; None: one of fewer than two axes that are not repeated. What
    is computed from arrays has their order, or that of C where they have several."""
    varying = [n for n, extent in enumerate(array.shape) if extent != ONE]
    if array.view is None:
        return array.fortran if len(varying) > 1 else None
    of = [{axis for axis, _ in steps} for _, steps in array.view.axes]
    along = [max((n for n, axes in enumerate(of) if axis in axes), default=None) for axis in varying]
    if len(varying) < 2 or None in along:
        return None
    turned = t.trace.buffers[array.view.buffer].fortran
    return all((one > next) != turned for one, next in pairwise(along) if one is not None and next is not None)


def ordered(t: Tracer, array: Lazy) -> Lazy:
    """An array for a copy in the same order."""
    return replace(array, view=None, fortran=bool(is_fortran(t, array)))


def binary(t: Tracer, node: ast.AST, op: str, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    """`left op right`, at least one of them an array. Integers divided by 0 give 0, as in NumPy."""
    several = isinstance(right, Masked) or (is_array(t, right) and bool(lazy(t, node, right).shape))
    one_exponent = op == "pow" and not several

    def apply(pair: list[Scalar]) -> Scalar:
        a, b = pair
        if op in ("floordiv", "mod"):
            return quotient(t, op, a, b)
        if op == "pow" and a.type.kind == "b" and b.type.is_weak and b.type.kind == "i" and not isinstance(b, Constant):
            reason = "NumPy's square of bools is of int8, other powers are of int64"
            t.error(node, "the type of a power of bools depends on the exponent", reason, "convert them with astype")
        if op == "pow" and is_square_of_bools(node, a.type, b):
            a, b = t.arithmetic.cast(a, int8), t.arithmetic.cast(b, int8)
        power = one_power(t, a, b, halves=not isinstance(node, ast.Call)) if one_exponent else None
        return power or (divided(t, node, op, a, b) if op == "pow" else t.arithmetic.apply(op, a, b))

    return elementwise(t, node, (left, right), apply)


def converted(t: Tracer, node: ast.AST, value: SymbolicValue, type: ScalarType) -> Lazy:
    """An array's elements in another type."""
    if type.kind not in "cb" and lazy(t, node, value).type.kind == "c":
        t.error(node, "complex numbers cannot be converted to real ones", hint="take their .real")

    def convert(one: list[Scalar]) -> Scalar:
        return t.arithmetic.cast(t.arithmetic.truth(one[0]) if type.kind == "b" else one[0], type)

    return elementwise(t, node, (value,), convert)


# -------------------------------------------------------------------------------------------------------- loops


@contextmanager
def loops(t: Tracer, node: ast.AST, extents: Sequence[Affine]) -> Iterator[Index]:
    """Execute something at each point of nested loops; the first is the outermost."""
    trace, names = t.trace, []
    for extent in extents:
        around = trace.block.dims
        name = trace.fresh("ijklmnopq"[min(len(around), 8)])
        names.append(name)
        trace.serial += 1
        inner = {d.name for d in around}.intersection(extent.names) if not has_indirect(extent) else set()
        guard = (extent - 1 - Affine.of(name),) if inner else ()
        dim = LoopDim(name, extent, 1, extent, trace.serial, guard, t.loc(node), around)
        trace.block = Block(trace.blocks, dim, trace.block)
        trace.blocks += 1
    yield tuple(Affine.of(name) for name in names)
    for name in reversed(names):
        close(trace, trace.block, [])
        trace.names.discard(name)


def each(t: Tracer, node: ast.AST, extents: Sequence[Affine], body: Callable[[Index], None]) -> None:
    """Execute `body` at each point of nested loops; inside of a procedure these are loops of it."""
    if t.recorder is None:
        with loops(t, node, extents) as index:
            body(index)
        return

    def iteration(index: Index, states: Sequence[Scalar]) -> Sequence[Scalar]:
        body(index)
        return states

    t.recorder.nest(extents, iteration)


def require_writable(t: Tracer, node: ast.AST, array: Lazy) -> None:
    """Refuses what NumPy lets nobody write to."""
    if array.view is not None and array.view.readonly:
        t.error(node, "what is assigned to is read-only, as NumPy's diagonals are", hint="assign to the array itself")


def store(t: Tracer, node: ast.AST, target: Lazy, value: SymbolicValue) -> None:
    """`target[...] = value`: all of the value is computed before anything is stored."""
    require_writable(t, node, target)
    source = lazy(t, node, value)
    extra = len(source.shape) - len(target.shape)
    if any(e != ONE for e in source.shape[: max(extra, 0)]):
        t.error(node, f"a value with {len(source.shape)} axes does not fit into {len(target.shape)}")
    for own, other in zip(target.shape[::-1], source.shape[::-1]):
        if other != ONE:
            same_extent(t, node, own, other)
    repeated = extra != 0 or any(own != other == ONE for own, other in zip(target.shape, source.shape))
    if repeated and (source.heavy or source.scan is not None):
        source = once(t, node, source)
    number = not isinstance(value, Lazy | ArrayRef)
    if t.recorder is None and target.view is not None:  # which elements these are is read before they are written
        keep_numbers(t.trace, [*target.shape, *(offset for offset, _ in target.view.axes)], target.view.buffer)
    if not attempted(t, lambda: _stored(t, node, target, source, number)):
        _stored(t, node, target, lazy(t, node, materialised(t, node, source)), number)


def attempted(t: Tracer, body: Callable[[], bool]) -> bool:
    """Execute something that says whether it may stay; else it is forgotten."""
    mark = t.trace.mark()
    done = body() if t.recorder is None else t.recorder.attempt(body)
    if not done:
        t.trace.rollback(mark)
    return done


def _stored(t: Tracer, node: ast.AST, target: Lazy, source: Lazy, number: bool) -> bool:
    """Store the elements; False if some are read after they have been overwritten.

    number: it is one number and no array, which NumPy converts as it does for one element.
    """
    view = target.view
    if view is None:
        t.error(node, "what is assigned to is one array or another, or an expression", hint="assign to elements")
    order = [n for n in range(len(target.shape)) if n != source.scan]
    order += [] if source.scan is None else [source.scan]
    around, rank, in_place = t.trace.block, len(source.shape), [True]
    begun = 0 if t.recorder is None else t.recorder.moment

    def body(chosen: Index) -> None:
        index = tuple(chosen[order.index(n)] for n in range(len(order)))
        if source.shape == target.shape:
            index_of_source = index
        elif rank > len(index):
            index_of_source = (*(Affine(),) * (rank - len(index)), *aligned(source.shape[rank - len(index) :], index))
        else:
            index_of_source = aligned(source.shape, index)
        value = source.at(index_of_source)
        at = place(view, index)
        if t.recorder is None:
            in_place[0] = _in_place(t, around, view.buffer, at, value)
        else:
            in_place[0] = all(_same_point(other, at, chosen) for other in t.recorder.read_since(view.buffer, begun))
        if in_place[0]:
            value = element(t, node, view.buffer, value) if number else value
            assign_at(t, node, view.buffer, at, value, bool(source.shape))

    each(t, node, [target.shape[n] for n in order], body)
    return in_place[0]


def _same_point(read: Index, written: Index, point: Index) -> bool:
    """Whether an element that is read at a point of a nest is none that another point writes."""
    names = {n for i in point for n in i.names}
    plain = names <= {n for w in written for n in w.names}
    return all(r == w or (plain and not names.intersection(w.names)) for r, w in zip(read, written))


def _in_place(t: Tracer, around: Block, buffer: str, element: Index, value: Scalar) -> bool:
    """Whether a value that is stored takes in nothing of the buffer but the old element.

    What has been read before the loops, outside of them, is kept by them.
    """
    trace, before = t.trace, {b.number for b in around.chain}
    nests = [c.reduction for _, c in components_of(trace, value) if c.reduction.block not in before]
    if any(r.buffer == buffer and r.block not in before for n in nests for r in taken_in(trace, n)):
        return False
    leaves = [trace.graph.described(v) for v in trace.graph.leaves(value)]
    if trace.indirect:
        keep_numbers(trace, numbers_in(trace, value), buffer, before)
    own = [r for x in leaves if isinstance(x, Read) for r in (x, *index_reads(trace, x.index))]
    return all(r.index == element for r in own if r.buffer == buffer and r.block not in before)


def once(t: Tracer, node: ast.AST, value: Lazy) -> Lazy:
    """The same array, its elements computed once."""
    return lazy(t, node, materialised(t, node, value))


def materialised(t: Tracer, node: ast.AST, value: Lazy, name: str = "") -> ArrayRef | Lazy:
    """An array of its own with the elements of an expression; inside loops one for each iteration.

    Where its extents vary with the loops, it is as large as the largest.
    """
    buffer, whole = _made(t, node, value.shape, value.type, name, value.view is None and value.fortran)
    _stored(t, node, whole, value, False)
    return whole if t.trace.block.dims or has_indirect(*value.shape) else ArrayRef(buffer)


def new_view(t: Tracer, node: ast.AST, shape: tuple[Affine, ...], type: ScalarType) -> Lazy:
    """A new array of unknown contents; inside loops one for each iteration."""
    return _made(t, node, shape, type, "")[1]


def of_iteration(
    t: Tracer, node: ast.AST, shape: tuple[Affine, ...], type: ScalarType, fill: Scalar | None
) -> Lazy:  # fmt: skip
    """An array that each iteration of the loops around makes for itself."""
    made = _made(t, node, shape, type, "")[1]
    if fill is not None:
        _stored(t, node, made, Lazy(shape, type, lambda index: fill), False)
    return made


def _made(
    t: Tracer, node: ast.AST, shape: tuple[Affine, ...], type: ScalarType, name: str, fortran: bool = False
) -> tuple[str, Lazy]:
    """A new array, one for each iteration of the loops around, and its elements in this iteration."""
    trace, around = t.trace, t.trace.block.dims
    buffer = trace.fresh(name or t.names or "t")
    hull = tuple(_largest(t, node, extent) for extent in shape)
    fortran = fortran and not around and t.recorder is None and not has_indirect(*shape)
    trace.buffers[buffer] = BufferInfo(buffer, type, hull, around or None, None, allocated=True, fortran=fortran)
    if t.recorder is not None:
        t.recorder.scratch(buffer)
    axes = [(Affine.of(d.name), ()) for d in around]
    return buffer, of_view(t, node, View(buffer, (*axes, *(along(n) for n in range(len(shape))))), shape)


def _largest(t: Tracer, node: ast.AST, extent: Affine) -> Affine:
    """The largest that an extent is in any iteration of the loops around, in terms of sizes."""
    known = t.trace.longest(extent) if t.recorder is None else t.recorder.greatest(extent)
    found = None if known is None else t.trace.domain().greatest(known)
    if found is None or has_indirect(found):
        reason = "it is made before the loops, and how large the largest is has to be known there"
        what, hint = f"of {extent} elements", "allocate it before the loop"
        if has_indirect(extent):
            what, hint = "whose length data decide", "allocate it before the loop, as long as it may be"
        t.error(node, f"an array {what} is needed inside of loops", reason, hint)
    return found
