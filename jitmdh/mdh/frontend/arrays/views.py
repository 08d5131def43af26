"""Subscripts of arrays that leave axes: slices, new axes, rows; and transposed arrays.

x[1:-1, None, i]    axis 0 from 1 to n - 1, a new axis of length 1, one element of the last axis

x.real              of complex numbers, the parts that their array has when they are read

x[p[i]:p[i+1]]      as many elements as data say, which only reductions and assignments may take in

Bounds are affine, or numbers from data. NumPy's clamping of affine ones to the array's length is left to the
undecorated function.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation, size_expr
from jitmdh.mdh.frontend.python import values
from jitmdh.mdh.frontend.python.array_expressions import (
    ONE,
    ZERO,
    Index,
    along,
    elementwise,
    holds,
    is_array,
    lazy,
    once,
    places,
    require,
)
from jitmdh.mdh.frontend.python.iteration.loop_ranges import strided_length
from jitmdh.mdh.frontend.python.needed_arguments import factor, one_of, require_known
from jitmdh.mdh.frontend.python.subscripts import data_number, indirect, named_number, require_elements
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Axis,
    ComplexPart,
    Joined,
    LateStep,
    Lazy,
    Step,
    SymbolicValue,
    Tracer,
    is_scalar,
    stepped,
)
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect


def is_partial(node: ast.expr) -> bool:
    """Whether a subscript has slices, `None` or `...`."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value in (None, ...)) for p in parts)


def has_ellipsis(node: ast.expr) -> bool:
    """Whether a subscript has `...`, so that NumPy gives a view, also of one element."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(p, ast.Constant) and p.value is ... for p in parts)


def subscript(t: Tracer, node: ast.Subscript, value: SymbolicValue) -> Lazy:
    """`value[...]` where that is an array."""
    array = lazy(t, node, value)
    if array.heavy or array.scan is not None:
        array = once(t, node, array)
    parts = completed(t, node, node.slice, len(array.shape))
    axes: list[Axis] = []
    shape: list[Affine] = []
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            shape.append(ONE)
            continue
        extent = array.shape[len(axes)]
        if not isinstance(part, ast.Slice):
            axes.append((_position(t, part, extent, array), ()))
            continue
        start, step, length = slice_of(t, part, extent)
        axes.append(along(len(shape), start, step))
        shape.append(length)
    found = through(t, array, tuple(axes), tuple(shape))
    if chosen := tuple(offset for offset, steps in axes if not steps and has_indirect(offset)):
        require_elements(t, node, shape)
        _touch(t, node, found, chosen)
    return found


def _touch(t: Tracer, node: ast.AST, array: Lazy, chosen: Index) -> None:
    """Its first element has to be there, where it has any: used or not. Along axes whose length data decide, the first
    one of the whole array stands for it. chosen: the subscripts that data decide, of which alone something is known
    where the array is nowhere in memory: its elements may be one number, so that no expression has the subscript."""
    if t.recorder is not None:
        return
    if array.view is None:
        t.trace.touch(None, chosen, t.trace.guards, t.loc(node))
        return
    known = tuple(ONE if has_indirect(extent) else extent for extent in array.shape)
    first = list(places(array.view.axes, (ZERO,) * len(array.shape)))
    for axis, (_, steps) in enumerate(array.view.axes):
        if any(has_indirect(array.shape[n]) for n, _ in steps):
            extent = t.trace.buffers[array.view.buffer].shape[axis]
            require_elements(t, node, (extent,))
            first[axis], known = ZERO, (*known, extent)
    some = tuple(extent - 1 for extent in known if not extent.is_constant)
    t.trace.touch(array.view.buffer, tuple(first), t.trace.guards + some, t.loc(node))


def completed(t: Tracer, node: ast.expr, given: ast.expr, rank: int) -> list[ast.expr]:
    """One part for each axis, and the new axes."""
    parts = list(given.elts) if isinstance(given, ast.Tuple) else [given]
    dots = [n for n, p in enumerate(parts) if isinstance(p, ast.Constant) and p.value is ...]
    if len(dots) > 1:
        t.error(node, "more than one `...` in a subscript")
    used = sum(not (isinstance(p, ast.Constant) and p.value in (None, ...)) for p in parts)
    if used > rank:
        t.error(node, f"too many subscripts: the array has {rank} dimension{'s' * (rank != 1)}")
    place = dots[0] if dots else len(parts)
    whole = ast.copy_location(ast.Slice(None, None, None), node)
    return [*parts[:place], *[whole] * (rank - used), *parts[place + len(dots) :]]


def through(t: Tracer, array: Lazy, axes: tuple[Axis, ...], shape: tuple[Affine, ...]) -> Lazy:
    """The array whose index runs through the given one's along `axes`."""
    if isinstance(array, ComplexPart):
        assert array.whole is not None
        return _part(t, through(t, array.whole, axes, shape), array.name)
    view = None
    if array.view is not None:
        view = replace(array.view, axes=tuple(_composed(axis, axes) for axis in array.view.axes))

    def at(index: Index) -> Scalar:
        return array.at(places(axes, index))

    if isinstance(array, Joined):
        return Joined(shape, array.type, at, of=array.of)
    return Lazy(shape, array.type, at, view, array.heavy, None, array.perhaps)


def _composed(outer: Axis, axes: tuple[Axis, ...]) -> Axis:
    """An axis of a buffer that follows axes of an array, whose index runs along `axes`."""
    offset, parts = outer
    steps: list[tuple[int, Step]] = []
    for axis, step in parts:
        inner, own = axes[axis]
        offset = offset + stepped(inner, step)
        steps += [(n, _product(step, s)) for n, s in own]
    return offset, tuple(steps)


def _product(outer: Step, inner: Step) -> Step:
    if isinstance(outer, int) and isinstance(inner, int):
        return outer * inner
    return LateStep(lambda count: stepped(stepped(count, inner), outer))


def _index(t: Tracer, node: ast.expr) -> Affine:
    value = t.evaluate(node)
    if isinstance(value, (Lazy, ArrayRef)):
        t.error(node, f"subscript `{ast.unparse(node)}` is an array", "which elements it means depends on data",
                "choose by np.where, or sum with where=")  # fmt: skip
    number = as_scalar(t, node, value)
    index = affine(number)
    if index is None:
        text, reason = (
            f"`{ast.unparse(node)}` is not affine",
            "only sums of constant multiples of indices and sizes are",
        )
        if name := factor(t, number):
            require_known(t, node, text, name, reason)
        t.error(node, text, reason)
    return index


def _position(t: Tracer, node: ast.expr, extent: Affine, array: Lazy | None = None) -> Affine:
    """A single subscript; of elements of an array, data may decide it."""
    value = t.evaluate(node)
    if array is not None and is_scalar(value) and (affine(value) is None or _is_known_late(t, value)):  # type: ignore[arg-type]
        name = "an array" if array.view is None else array.view.buffer
        return indirect(t, node, ArrayRef(name), value, extent)  # type: ignore[arg-type]
    index = _index(t, node)
    text = ast.unparse(node)
    if t.trace.domain().proves_negative(index):
        index = index + extent
        require(t, node, index, f"subscript {text} is out of bounds", otherwise=IndexError)
    else:
        require(t, node, index, f"subscript {text} is negative for some indices")
    require(t, node, extent - 1 - index, f"subscript {text} is out of bounds", otherwise=IndexError)
    return index


def slice_of(t: Tracer, node: ast.Slice, extent: Affine) -> tuple[Affine, Step, Affine]:
    """Start, step and length."""
    numbers = (b for b in (node.lower, node.upper, node.step) if b is not None)
    if t.recorder is not None and (has_indirect(extent) or any([_is_data(t, b) for b in numbers])):
        return _slice_in_procedure(t, node, extent)
    step = Affine((), 1) if node.step is None else _index(t, node.step)
    if not step.is_constant or step.constant == 0:
        text = "the step of a slice is not a constant" if step.terms else "the step of a slice is 0"
        if name := one_of(t, step):
            require_known(t, node, text, name)
        t.error(node, text)
    if step.constant < 0:
        start = extent - 1 if node.lower is None else _position(t, node.lower, extent)
        before = Affine((), -1) if node.upper is None else _position(t, node.upper, extent)
        if start != before:
            require(t, node, start - before, f"slice `{ast.unparse(node)}` ends before it begins")
        return start, step.constant, _length(t, start - before, -step.constant)
    data = [bound for bound in (node.lower, node.upper) if bound is not None and _is_data(t, bound)]
    if data or (has_indirect(extent) and (node.lower or node.upper)):
        if step.constant != 1:
            t.error(node, f"the bounds of the slice `{ast.unparse(node)}`, which has a step, depend on data")
        return _slice_from_data(t, node, extent)
    start = Affine() if node.lower is None else _bound(t, node.lower, extent)
    stop = extent if node.upper is None else _bound(t, node.upper, extent)
    if start != stop and not holds(t, node, stop - start, f"slice `{ast.unparse(node)}` ends before it begins"):
        stop = start
    return start, step.constant, _length(t, stop - start, step.constant)


def _is_data(t: Tracer, node: ast.expr) -> bool:
    """Whether a bound of a slice is an integer that is no sum of indices and sizes."""
    value = t.evaluate(node)
    if is_array(t, value):
        return False
    number = as_scalar(t, node, value)
    return _is_known_late(t, number) and number.type.kind in "iu"


def _is_known_late(t: Tracer, number: Scalar) -> bool:
    """Whether data decide a number: it is no sum of indices and sizes."""
    known = affine(number)
    if known is None:
        return t.recorder is not None or bool(t.trace.graph.leaves(number))
    return t.recorder is not None and has_indirect(known)


def _slice_in_procedure(t: Tracer, node: ast.Slice, extent: Affine) -> tuple[Affine, Step, Affine]:
    """`x[start:stop:step]` for any integers, in numbers that the procedure computes."""
    recorder, a = t.recorder, t.arithmetic
    assert recorder is not None
    apply, size = a.apply, a.cast(a.index(extent), int64)
    zero, one = a.cast(a.literal(0), int64), a.cast(a.literal(1), int64)

    def given(at: ast.expr) -> Scalar:
        return a.word(as_scalar(t, at, t.evaluate(at)))

    step = one if node.step is None else given(node.step)
    recorder.require(node, apply("ne", step, zero), "slice step cannot be zero")
    back = apply("lt", step, zero)
    least, most = a.select(back, apply("neg", one), zero), a.select(back, apply("sub", size, one), size)

    def end(at: ast.expr | None, default: Scalar) -> Scalar:
        if at is None:
            return default
        number = given(at)
        number = a.select(apply("lt", number, zero), apply("add", number, size), number)
        return apply("minimum", apply("maximum", number, least), most)

    start, stop = end(node.lower, a.select(back, most, least)), end(node.upper, a.select(back, least, most))
    room = a.select(back, apply("sub", start, stop), apply("sub", stop, start))
    width = apply("abs", step)
    if width is not one:
        room = apply("floordiv", apply("sub", apply("add", room, width), one), apply("maximum", width, one))
    length = recorder.number(apply("maximum", room, zero), extent)
    first = recorder.number(start, extent)
    if isinstance(step, Constant):
        return first, int(step.value.real), length
    return first, LateStep(lambda count: recorder.number(apply("mul", a.cast(a.index(count), int64), step))), length


def _slice_from_data(t: Tracer, node: ast.Slice, extent: Affine) -> tuple[Affine, int, Affine]:
    """`x[start:stop]` as NumPy has it for any integers: those outside of the array are its ends."""
    text = f"a bound of the slice `{ast.unparse(node)}`"
    if t.trace.guards or t.trace.condition is not None:
        t.error(node, f"{text} depends on data, under a condition", hint="write a loop over its elements")
    apply, size = t.arithmetic.apply, t.arithmetic.cast(t.arithmetic.index(extent), int64)
    zero = t.arithmetic.cast(t.arithmetic.literal(0), int64)

    def given(at: ast.expr | None) -> Scalar | None:
        return None if at is None else t.arithmetic.word(as_scalar(t, at, t.evaluate(at)))

    def inside(number: Scalar) -> Scalar:
        number = t.arithmetic.select(apply("lt", number, zero), apply("add", number, size), number)
        return apply("minimum", apply("maximum", number, zero), size)

    lower, upper = given(node.lower), given(node.upper)
    start = zero if lower is None else inside(lower)
    stop = size if upper is None else inside(upper)
    length = apply("maximum", apply("sub", stop, start), zero)
    first, room = (
        affine(number) or named_number(t, node, data_number(t, node, number, text), None) for number in (start, length)
    )
    if len(room.names) == 1:
        t.trace.slices[room.names[0]] = lower, upper, extent
    return first, 1, room


def _bound(t: Tracer, node: ast.expr, extent: Affine) -> Affine:
    bound = _index(t, node)
    text = ast.unparse(node)
    if not holds(t, node, bound, f"bound {text} of a slice is negative"):
        bound = bound + extent
        if not holds(t, node, bound, f"bound {text} of a slice is before the beginning of the array"):
            return Affine()
    inside = holds(t, node, extent - bound, f"bound {text} of a slice is behind the end of the array")
    return bound if inside else extent


def _length(t: Tracer, room: Affine, step: int) -> Affine:
    if step == 1:
        return room
    if {d.name for d in t.trace.block.dims}.intersection(room.names):
        raise_at = t.frame.source.definition
        t.error(raise_at, "a slice with a step and bounds that depend on loops is not supported")
    return strided_length(t.trace, "slice", room, step)


def permuted(t: Tracer, array: Lazy, order: Sequence[int]) -> Lazy:
    """The array whose axis n is axis `order[n]` of the given one."""
    place = {axis: n for n, axis in enumerate(order)}
    axes = tuple(along(place[a]) for a in range(len(order)))
    found = through(t, array, axes, tuple(array.shape[a] for a in order))
    turned = found.view is None and len(order) > 1 and list(order) == list(reversed(range(len(order))))
    return replace(found, fortran=not array.fortran) if turned else found


def part_of(t: Tracer, node: ast.AST, value: SymbolicValue, name: str) -> SymbolicValue:
    """`value.real` or `value.imag`. As in NumPy, the real part of real numbers is the array itself."""
    array = lazy(t, node, value)
    if array.type.kind != "c" and name == "real":
        return value
    if array.type.kind != "c" or not (array.seen_through or isinstance(array, Joined)):
        return elementwise(t, node, (value,), lambda numbers: values.part(t, numbers[0], name))
    return _part(t, array, name)


def _part(t: Tracer, whole: Lazy, name: str) -> ComplexPart:
    seen = whole.seen_through | frozenset([whole.of] if isinstance(whole, Joined) else ())

    def at(index: Index) -> Scalar:
        return values.part(t, whole.at(index), name)

    return ComplexPart(whole.shape, whole.type.real, at, perhaps=seen, whole=whole, name=name)


def diagonal(t: Tracer, node: ast.expr, array: Lazy, given: Mapping[str, tuple[ast.expr, SymbolicValue]]) -> Lazy:
    """`array.diagonal(offset)`, which NumPy lets nobody write to."""
    if len(array.shape) != 2:
        t.error(node, "np.diagonal of an array with other than two axes")
    if isinstance(array, ComplexPart) and array.whole is not None:
        return _part(t, diagonal(t, node, array.whole, given), array.name)
    array = once(t, node, array) if array.heavy or array.scan is not None else array
    at, value = given.get("offset", (node, t.arithmetic.literal(0)))
    offset = affine(as_scalar(t, at, value))
    if offset is None or {d.name for d in t.trace.block.dims}.intersection(offset.names) or has_indirect(offset):
        t.error(at, f"`{ast.unparse(at)}`, the offset of a diagonal, depends on data or loops")
    below, right = offset * -1, ZERO
    if holds(t, at, offset, "the offset of a diagonal is negative"):
        below, right = ZERO, offset
    rows, columns = array.shape[0] - below, array.shape[1] - right
    length = rows
    if offset != ZERO or rows != columns:
        least = SizeOperation("min", size_expr(rows), size_expr(columns))
        length = t.trace.define("diagonal", SizeOperation("max", least, SizeConstant(0)))
    found = through(t, array, (along(0, below), along(0, right)), (length,))
    return found if found.view is None else replace(found, view=replace(found.view, readonly=True))
