"""The same elements under other axes: transpose, swapaxes, moveaxis, flip, expand_dims, squeeze, reshape.

Axes may be split by constants, since `4*i + j` is affine. Where axes are joined, which row an element of
`x.reshape(-1)` comes from is a quotient of its index. By its strides, NumPy makes a view or a copy of such an array:
which one cannot be told as long as neither it nor the array is written to (see `Joined`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations
from math import prod

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation, size_expr
from jitmdh.mdh.frontend.arrays.views import diagonal, permuted, through
from jitmdh.mdh.frontend.python.array_expressions import ONE, ZERO, aligned, along, holds, once, require, same_extent
from jitmdh.mdh.frontend.python.needed_arguments import argument, require_known
from jitmdh.mdh.frontend.python.subscripts import named_number, read_element
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Axis, Joined, Lazy, Static, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, size_operation
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect

Given = Mapping[str, tuple[ast.expr, SymbolicValue]]


def integers(t: Tracer, node: ast.expr, value: SymbolicValue) -> tuple[int, ...]:
    """A constant integer or a tuple of them."""
    found = []
    for part in value if isinstance(value, tuple) else (value,):
        if not isinstance(part, Constant) or not isinstance(part.value, int):
            text = f"`{ast.unparse(node)}` has to be a constant integer, or a tuple of them"
            if name := argument(t, part):
                require_known(t, node, text, name)
            t.error(node, text)
        found.append(int(part.value))
    return tuple(found)


def normalised(t: Tracer, node: ast.AST, given: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front; each once."""
    for axis in given:
        if not -rank <= axis < rank:
            t.error(node, f"axis {axis} is out of bounds for an array of {rank} dimension{'s' * (rank != 1)}")
    axes = tuple(axis % rank for axis in given)
    if len(set(axes)) < len(axes):
        t.error(node, "an axis is named twice")
    return axes


def transpose(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    rank = len(array.shape)
    order = integers(t, *given["axes"]) if _is_given(given, "axes") else tuple(range(rank))[::-1]
    if len(order) != rank:
        t.error(node, f"transpose of {rank} axes names {len(order)}")
    return permuted(t, array, normalised(t, node, order, rank))


def swapaxes(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    rank = len(array.shape)
    (a,), (b,) = (normalised(t, node, _needed(t, node, given, n), rank) for n in ("axis1", "axis2"))
    order = list(range(rank))
    order[a], order[b] = b, a
    return permuted(t, array, order)


def moveaxis(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    rank = len(array.shape)
    source, destination = (normalised(t, node, _needed(t, node, given, n), rank) for n in ("source", "destination"))
    if len(source) != len(destination):
        t.error(node, "moveaxis moves as many axes as there are places for them")
    order = [n for n in range(rank) if n not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return permuted(t, array, order)


def flip(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    rank = len(array.shape)
    axes = normalised(t, node, integers(t, *given["axis"]), rank) if _is_given(given, "axis") else tuple(range(rank))
    reversed_axes = [along(n, e - 1, -1) if n in axes else along(n) for n, e in enumerate(array.shape)]
    return through(t, array, tuple(reversed_axes), array.shape)


def expand_dims(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    axes = _needed(t, node, given, "axis")
    rank = len(array.shape) + len(axes)
    new = normalised(t, node, axes, rank)
    old = [n for n in range(rank) if n not in new]
    shape = tuple(ONE if n in new else array.shape[old.index(n)] for n in range(rank))
    return through(t, array, tuple(along(n) for n in old), shape)


def squeeze(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    rank = len(array.shape)
    if _is_given(given, "axis"):
        gone = normalised(t, node, integers(t, *given["axis"]), rank)
        for n in gone:
            _same(t, node, array.shape[n], ONE)
    else:
        gone = tuple(n for n, e in enumerate(array.shape) if _is_one(t, node, e))
    kept = [n for n in range(rank) if n not in gone]
    axes = tuple((ZERO, ()) if n in gone else along(kept.index(n)) for n in range(rank))
    return through(t, array, axes, tuple(array.shape[n] for n in kept))


def _is_one(t: Tracer, node: ast.expr, extent: Affine) -> bool:
    """Whether an axis has length 1: of arguments it is assumed that none has, until a call comes where it is so."""
    if extent.is_constant:
        return extent == ONE
    if has_indirect(extent):
        t.error(node, "squeeze without an axis: data decide which axes have length 1", hint="give axis=…")
    if holds(t, node, extent - 2, f"the axis of length {extent} is not longer than 1"):
        return False
    require(t, node, extent - 1, f"the axis of length {extent} has no elements in some calls of squeeze only")
    return True


def reshape(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    """Axes of length 1 come and go; others stay, or are split by constants."""
    if "shape" not in given:
        t.error(node, "reshape needs a shape")
    at, value = given["shape"]
    wanted = [_extent(t, at, v) for v in (value if isinstance(value, tuple) else (value,))]
    if is_by_columns(t, node, given):  # by columns is by rows of what is transposed, views and copies included
        return _transposed(t, _reshaped(t, at, _transposed(t, array), wanted[::-1]))
    return _reshaped(t, at, array, wanted)


def _transposed(t: Tracer, array: Lazy) -> Lazy:
    return permuted(t, array, tuple(range(len(array.shape)))[::-1])


def is_by_columns(t: Tracer, node: ast.expr, given: Given) -> bool:
    """Whether `order="F"` is given."""
    at, value = given.get("order", (node, Static("C")))
    if not isinstance(value, Static) or value.value not in ("C", "F"):
        t.error(at, "the order of elements is 'C' or 'F' here")
    return value.value == "F"


def sliding_window_view(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    """Windows of constant or other lengths along one axis, or along each: new axes behind the others. Nothing can be
    assigned to it."""
    if "window_shape" not in given:
        t.error(node, "sliding_window_view needs the shape of a window")
    at, value = given["window_shape"]
    lengths = [_extent(t, at, v) for v in (value if isinstance(value, tuple) else (value,))]
    rank = len(array.shape)
    if not _is_given(given, "axis") and len(lengths) != rank:
        t.error(at, f"sliding_window_view without an axis of an array with {rank} axes needs as many lengths")
    moved = integers(t, *given["axis"]) if _is_given(given, "axis") else tuple(range(rank))
    if len(moved) != len(lengths):
        t.error(at, "sliding_window_view needs a length for each of its axes")
    axes, shape = [along(n) for n in range(rank)], list(array.shape)
    array = once(t, node, array) if array.heavy or array.scan is not None else array
    for place, (axis, length) in enumerate(zip(normalised(t, node, moved, rank), lengths)):
        if length is None:
            t.error(at, "a window has no negative length")
        require(t, at, length, "a window of a negative length")
        shape[axis] = shape[axis] - length + 1
        require(t, node, shape[axis] - 1, "a window is longer than its axis")
        axes[axis] = (ZERO, ((axis, 1), (rank + place, 1)))
    found = through(t, array, tuple(axes), (*shape, *(e for e in lengths if e is not None)))
    return found if found.view is None else replace(found, view=replace(found.view, readonly=True))


def broadcast_to(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    """The same elements along new axes, and along those of length 1. Nothing can be assigned to it."""
    if "shape" not in given:
        t.error(node, "broadcast_to needs a shape")
    at, value = given["shape"]
    wanted = [_extent(t, at, v) for v in (value if isinstance(value, tuple) else (value,))]
    shape = tuple(e for e in wanted if e is not None)
    if len(shape) < len(wanted):
        t.error(at, "a length of -1 is not broadcast to")
    if len(shape) < len(array.shape):
        t.error(node, f"an array of {len(array.shape)} axes is not broadcast to {len(shape)}")
    for own, other in zip(array.shape[::-1], shape[::-1]):
        if own != ONE:
            same_extent(t, node, other, own)
    array = once(t, node, array) if array.heavy or array.scan is not None else array
    return Lazy(shape, array.type, lambda index: array.at(aligned(array.shape, index)), perhaps=array.seen_through)


def joined(t: Tracer, node: ast.expr, array: Lazy) -> Lazy:
    """All elements behind each other, with quotients of the index as subscripts: for functions that number them so."""
    array = once(t, node, array) if array.heavy or array.scan is not None or array.view is None else array
    total = _product(t, node, array.shape)

    def at(index: tuple[Affine, ...]) -> Scalar:
        return array.at(_places_of(t, node, t.arithmetic.cast(t.arithmetic.index(index[0]), int64), array.shape))

    return Lazy((total,), array.type, at)


def flat_place(
    t: Tracer, node: ast.expr, index: Sequence[Affine], shape: Sequence[Affine], total: Affine
) -> Affine:  # fmt: skip
    """The number of an element among all `total` of an array, as a subscript."""
    return index[0] if len(index) == 1 else _numbered(t, node, _flat_number(t, index, shape), total)


def _flat_number(t: Tracer, index: Sequence[Affine], shape: Sequence[Affine]) -> Scalar:
    return _joined_number(t, [t.arithmetic.index(one) for one in index], shape)


def _joined_number(t: Tracer, numbers: Sequence[Scalar], shape: Sequence[Affine]) -> Scalar:
    """The number, counted row by row, of the element at `numbers`."""
    arithmetic = t.arithmetic
    flat = arithmetic.cast(numbers[0], int64)
    for one, extent in zip(numbers[1:], shape[1:]):
        flat = arithmetic.apply("mul", flat, arithmetic.cast(arithmetic.index(extent), int64))
        flat = arithmetic.apply("add", flat, arithmetic.cast(one, int64))
    return flat


def _places_of(t: Tracer, node: ast.expr, flat: Scalar, shape: Sequence[Affine]) -> tuple[Affine, ...]:
    """Where the element of that number is, as subscripts."""
    return tuple(_numbered(t, node, n, extent) for n, extent in zip(_split_number(t, flat, shape), shape))


def _split_number(t: Tracer, flat: Scalar, shape: Sequence[Affine]) -> tuple[Scalar, ...]:
    """Where the element of that number is."""
    arithmetic, places = t.arithmetic, list[Scalar]()
    for extent in shape[:0:-1]:
        size = arithmetic.cast(arithmetic.index(extent), int64)
        places.insert(0, arithmetic.apply("mod", flat, size))
        flat = arithmetic.apply("floordiv", flat, size)
    return (flat, *places)


def _product(t: Tracer, node: ast.expr, shape: Sequence[Affine]) -> Affine:
    arithmetic = t.arithmetic
    lengths = [arithmetic.index(e) for e in shape]
    total = affine(reduce(lambda a, b: size_operation(t, "mul", a, b) or arithmetic.apply("mul", a, b), lengths))
    if total is None or has_indirect(total):
        t.error(node, f"the number of elements of an array of shape ({', '.join(map(str, shape))}) is not known before")
    return total


def _numbered(t: Tracer, node: ast.expr, number: Scalar, extent: Affine) -> Affine:
    return affine(number) or named_number(t, node, number, extent)


def flatten(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    array = _transposed(t, array) if is_by_columns(t, node, given) else array
    return once(t, node, joined(t, node, array) if len(array.shape) > 1 else array)


def ravel(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    array = _transposed(t, array) if is_by_columns(t, node, given) else array
    made = _reshaped(t, node, array, [None])
    made = _perhaps_copied(t, node, made, array if array.view is not None else None)
    return replace(made, ravelled=True) if isinstance(made, Joined) else made


def ascontiguousarray(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    return _perhaps_copied(t, node, array, None)


def asfortranarray(t: Tracer, node: ast.expr, array: Lazy, given: Given) -> Lazy:
    return _transposed(t, _perhaps_copied(t, node, _transposed(t, array), None))


def _perhaps_copied(t: Tracer, node: ast.expr, made: Lazy, given: Lazy | None) -> Lazy:
    """An array that NumPy copies if it is not contiguous, which nobody knows of arguments."""
    if made.perhaps:
        return _unwritten(t, node, made)
    if made.view is None or t.trace.buffers[made.view.buffer].allocated:
        return made
    buffer, rank = made.view.buffer, len(made.shape)
    t.trace.joined[buffer, t.loc(node)] = t.trace.tick()
    whole = made.view.axes == tuple(map(along, range(rank))) and t.trace.buffers[buffer].shape == made.shape

    def element(numbers: Sequence[Scalar]) -> ArrayRef:
        return ArrayRef(buffer, tuple((node, n) for n in numbers))

    return Joined(made.shape, made.type, made.at, of=buffer, element=element if whole else None, given=given)


def _unwritten(t: Tracer, node: ast.expr, made: Lazy) -> Lazy:
    """A copy of what others may write to, or one more view of it: which one, nobody can tell as long as they do not."""
    for buffer in made.perhaps:
        t.trace.joined[buffer, t.loc(node)] = t.trace.tick()
    return made


SHAPES: Mapping[str, tuple[Callable[[Tracer, ast.expr, Lazy, Given], Lazy], tuple[str, ...]]] = {
    "transpose": (transpose, ("axes",)),
    "swapaxes": (swapaxes, ("axis1", "axis2")),
    "moveaxis": (moveaxis, ("source", "destination")),
    "flip": (flip, ("axis",)),
    "expand_dims": (expand_dims, ("axis",)),
    "squeeze": (squeeze, ("axis",)),
    "reshape": (reshape, ("shape", "order")),
    "broadcast_to": (broadcast_to, ("shape",)),
    "flatten": (flatten, ("order",)),
    "ravel": (ravel, ("order",)),
    "ascontiguousarray": (ascontiguousarray, ()),
    "asfortranarray": (asfortranarray, ()),
    "diagonal": (diagonal, ("offset",)),
    "sliding_window_view": (sliding_window_view, ("window_shape", "axis")),
}
"""What each function does, and its parameters behind the array."""


# ------------------------------------------------------------------------------------------------------- reshape


def _extent(t: Tracer, node: ast.expr, value: SymbolicValue) -> Affine | None:
    """An entry of a shape; None for -1."""
    extent = affine(as_scalar(t, node, value))
    if extent is None:
        t.error(node, f"`{ast.unparse(node)}` is no shape of sizes")
    return None if extent == Affine((), -1) else extent


def _reshaped(t: Tracer, node: ast.expr, array: Lazy, wanted: list[Affine | None]) -> Lazy:
    if wanted.count(None) > 1:
        t.error(node, "only one entry of a shape can be -1")
    own = array.view is None and not isinstance(array, Joined)
    array = once(t, node, array) if array.heavy or array.scan is not None else array
    old = [(n, e) for n, e in enumerate(array.shape) if e != ONE]
    new = [(n, e) for n, e in enumerate(wanted) if e != ONE]
    shape = [ONE if e is None else e for e in wanted]
    axes: list[Axis] = [(ZERO, ()) for _ in array.shape]
    while old and new and new[0][1] == old[0][1]:
        axes[old.pop(0)[0]] = along(new.pop(0)[0])
    while old and new and new[-1][1] == old[-1][1]:
        axes[old.pop()[0]] = along(new.pop()[0])
    if len(old) > 1 and _are_alike(t, [e for _, e in old], [e for _, e in new]):
        for (axis, extent), (to, _) in zip(old, new):
            _same(t, node, extent, shape[to])
            axes[axis] = along(to)
        return through(t, array, tuple(axes), tuple(shape))
    if old and new and (runs := _runs(t, node, [e for _, e in old], new)) is not None:
        for (axis, extent), run in zip(old, runs):
            axes[axis] = (ZERO, _split(t, node, extent, run, shape))
    elif old or any(e is not None for _, e in new):
        return _renumbered(t, node, array, wanted, own)
    return through(t, array, tuple(axes), tuple(shape))


_NewAxes = Sequence[tuple[int, Affine | None]]
"""Numbers and lengths of axes; None for -1."""


def _runs(t: Tracer, node: ast.expr, old: Sequence[Affine], new: _NewAxes) -> list[_NewAxes] | None:
    """The new axes that each old one is split into; None: some are not, or nobody knows.

    x.reshape(h // 2, 2, w // 2, 2) of an array (h, w) says it. x.reshape(512, 2, 512, 2) does not: that h is 1024 is
    assumed, until a call comes in which it is another number.
    """
    cuts = combinations(range(1, len(new)), len(old) - 1)
    found = [[new[a:b] for a, b in zip((0, *cut), (*cut, len(new)))] for cut in cuts]
    found = [runs for runs in found if all(_is_constant(e) for run in runs for _, e in run[1:])]
    if len(old) == 1:
        return next(iter(found), None)
    said = next((runs for runs in found if all(_is_said(t, e, run) for e, run in zip(old, runs))), None)
    known = [e for e in (*old, *(e for _, e in new)) if e is not None]
    if said is not None or t.recorder is not None or t.trace.block.dims or has_indirect(*known):
        return said
    for runs in sorted(found, key=lambda runs: max(map(len, runs))):
        lengths = [(e, _length(run)) for e, run in zip(old, runs)]
        if all(_is_assumed(t, node, e, length) for e, length in lengths if length is not None):
            return runs
    return None


def _is_constant(extent: Affine | None) -> bool:
    return extent is not None and extent.is_constant and extent.constant > 0


def _length(run: _NewAxes) -> Affine | None:
    """Of an axis that is split into these; None if one of them is what is left. All but the first are constants."""
    first, *inner = (e for _, e in run)
    return None if first is None else first * prod(e.constant for e in inner if e is not None)


def _is_said(t: Tracer, extent: Affine, run: _NewAxes) -> bool:
    """Whether new axes have the length of an old one by what the user wrote, or whatever is left of it."""
    length, first = _length(run), run[0][1]
    if first is None or length == extent:
        return True
    made = (
        t.trace.definitions.get(first.names[0])
        if len(first.names) == 1 and first == Affine.of(first.names[0])
        else None
    )
    inner = prod(e.constant for _, e in run[1:] if e is not None)
    return made is not None and made.value == SizeOperation("floordiv", size_expr(extent), SizeConstant(inner))


def _is_assumed(t: Tracer, node: ast.expr, extent: Affine, length: Affine) -> bool:
    if extent == length:
        return True
    message = f"an axis of length {extent} does not become axes of {length} elements"
    possible = not (extent - length).is_constant
    return possible and holds(t, node, extent - length, message) and holds(t, node, length - extent, message)


def _are_alike(t: Tracer, old: Sequence[Affine], new: Sequence[Affine | None]) -> bool:
    """Whether the axes of two shapes are likely to have the same lengths: as many, all of them sizes of arguments."""
    shapes = [t.trace.buffers[p.name].shape for p in t.trace.parameters if p.name in t.trace.buffers]
    sizes = {Affine.of(p.name) for p in t.trace.parameters} | {extent for shape in shapes for extent in shape}
    return len(old) == len(new) and sizes.issuperset(e or ONE for e in (*old, *new)) and not set(old).intersection(new)


def _renumbered(t: Tracer, node: ast.expr, array: Lazy, wanted: Sequence[Affine | None], own: bool) -> Lazy:
    """The array in another shape: element n of all, counted row by row, is element n. own: nobody else has it."""
    is_seen = bool(array.perhaps)
    array = once(t, node, array) if array.view is None and not is_seen and not isinstance(array, Joined) else array
    total = _product(t, node, array.shape)
    rest = _product(t, node, [e for e in wanted if e is not None] or [ONE])
    if None in wanted:
        require(t, node, rest - 1, "the axis of a reshape that is -1 beside one without elements")
        left = _quotient_of_sizes(t, node, total, rest)
        shape = tuple(left if e is None else e for e in wanted)
        rest = _product(t, node, shape)
    else:
        shape = tuple(e for e in wanted if e is not None)
    for extent in shape:
        require(t, node, extent, "an axis of a negative length")
    _same(t, node, total, rest)
    buffer = "" if array.view is None else array.view.buffer
    whole = array.view is not None and array.view.axes == (along(0),) and t.trace.buffers[buffer].shape == array.shape

    def at(index: tuple[Affine, ...]) -> Scalar:
        flat = _flat_number(t, index, shape)
        if whole and affine(flat) is None:
            return read_element(t, node, ArrayRef(buffer, ((node, flat),)))
        return array.at(_places_of(t, node, flat, array.shape))

    if is_seen:
        return _unwritten(t, node, Lazy(shape, array.type, at, perhaps=array.perhaps))
    if own:
        return Lazy(shape, array.type, at)
    of = array.of if isinstance(array, Joined) else buffer
    t.trace.joined[of, t.loc(node)] = t.trace.tick()
    # Of several axes, each number would have to be looked at; one is out of bounds where the array's first is.
    is_whole = array.view is not None and array.view.axes == tuple(map(along, range(len(array.shape))))
    is_element = is_whole and len(shape) == 1 and t.trace.buffers[buffer].shape == array.shape

    def element(numbers: Sequence[Scalar]) -> ArrayRef:
        return ArrayRef(of, tuple((node, n) for n in _split_number(t, _joined_number(t, numbers, shape), array.shape)))

    given = array if array.view is not None else None
    return Joined(shape, array.type, at, of=of, element=element if is_element else None, given=given)


def _quotient_of_sizes(t: Tracer, node: ast.expr, total: Affine, part: Affine) -> Affine:
    if part.is_constant:
        return _quotient(t, total, part.constant)
    size = SizeOperation("max", size_expr(part), SizeConstant(1))
    return t.trace.define("quotient", SizeOperation("floordiv", size_expr(total), size))


def _split(
    t: Tracer, node: ast.expr, extent: Affine, new: _NewAxes, shape: list[Affine]
) -> tuple[tuple[int, int], ...]:
    """One axis as several: each new one with its step. Fills in the extent that is -1."""
    inner = [e for _, e in new[1:]]
    steps = [1]
    for e in reversed(inner):
        assert e is not None
        steps.append(steps[-1] * e.constant)
    first, leading = new[0]
    product = steps[-1]
    if leading is None:
        shape[first] = leading = _quotient(t, extent, product)
    _same(t, node, extent, leading * product)
    return tuple((n, step) for (n, _), step in zip(new, reversed(steps)))


def _quotient(t: Tracer, extent: Affine, divisor: int) -> Affine:
    if extent.is_constant:
        return Affine((), extent.constant // divisor)
    if divisor == 1:
        return extent
    return t.trace.define("quotient", SizeOperation("floordiv", size_expr(extent), SizeConstant(divisor)))


def _same(t: Tracer, node: ast.AST, a: Affine, b: Affine) -> None:
    """Two lengths are equal, also where one of them is 1: NumPy raises where they are not."""
    if a == b:
        return
    if (a - b).is_constant:
        t.error(node, f"an axis of length {a} cannot become one of length {b}")
    if ONE not in (a, b):
        same_extent(t, node, a, b)
        return
    message = f"axes of length {a} and {b} do not have the same length"
    require(t, node, a - b, message)
    require(t, node, b - a, message)


def _is_given(given: Given, name: str) -> bool:
    if name not in given:
        return False
    value = given[name][1]
    return not (isinstance(value, Static) and value.value is None)


def _needed(t: Tracer, node: ast.expr, given: Given, name: str) -> tuple[int, ...]:
    if name not in given:
        t.error(node, f"argument `{name}` is missing")
    return integers(t, *given[name])
