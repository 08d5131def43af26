"""Arrays as subscripts: elements that data choose, read and updated.

x[index], np.take(x, index)     x at index[j], for each j
np.add.at(h, bins, w)           for i: h[bins[i]] += w[i]      a scatter, as the loop is

Axes are NumPy's: those of the arrays among the subscripts, broadcast, stand where these are; in front of all others,
where slices stand between them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import ASSOCIATIVE, OPERATIONS
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.arrays.outputs import fits
from jitmdh.mdh.frontend.arrays.shapes import integers, normalised, ravel
from jitmdh.mdh.frontend.arrays.views import completed, slice_of
from jitmdh.mdh.frontend.python.allocations import listed
from jitmdh.mdh.frontend.python.array_expressions import (
    ONE,
    Index,
    aligned,
    assign_at,
    attempted,
    broadcast,
    each,
    element_at,
    is_array,
    lazy,
    once,
    place,
    require_writable,
    same_extent,
)
from jitmdh.mdh.frontend.python.subscripts import element, firm_condition, indirect, noted_reads, require_elements
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Lazy,
    ListOf,
    Static,
    Step,
    SymbolicValue,
    Tracer,
    View,
    given,
    stepped,
)
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.trace_ir.store_forwarding import keep_numbers, reads_of

UPDATES = {
    **{name: op for op in ASSOCIATIVE for name in OPERATIONS[op].numpy},
    "subtract": "sub",
}
"""What `np.add.at` and others of this kind do to an element."""


@dataclass(frozen=True, slots=True)
class AxisSlice:
    """A slice of an axis."""

    start: Affine
    step: Step
    length: Affine


Part = AxisSlice | tuple[ast.expr, Lazy] | None
"""One of the subscripts: a slice, an array or number and where it is written, a new axis."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Elements of an array: the shape that they have together, and where each of them is."""

    array: Lazy
    name: ArrayRef
    parts: tuple[Part, ...]
    own: tuple[int, ...]  # axes of the result that belong to the arrays among the subscripts
    common: tuple[Affine, ...]
    shape: tuple[Affine, ...]

    def position(self, t: Tracer, index: Index) -> Index:
        """Where element `index` of the result lies in the array."""
        mine = tuple(index[n] for n in self.own)
        others = iter([index[n] for n in range(len(index)) if n not in self.own])
        found: list[Affine] = []
        for part in self.parts:
            if part is None:
                next(others)
            elif isinstance(part, AxisSlice):
                found.append(part.start + stepped(next(others), part.step))
            else:
                node, numbers = part
                number = numbers.at(aligned(numbers.shape, mine))
                found.append(indirect(t, node, self.name, number, self.array.shape[len(found)]))
        return tuple(found)


def has_arrays(t: Tracer, node: ast.expr) -> bool:
    """Whether a subscript has arrays of integers among its parts; they are evaluated for that."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    values = [t.evaluate(p) for p in parts if not isinstance(p, (ast.Slice, ast.Constant))]
    return any(is_array(t, v) and lazy(t, node, v).type.kind in "iu" for v in values)


def gathered(t: Tracer, node: ast.Subscript, value: SymbolicValue) -> Lazy:
    """`value[…]`, some of whose subscripts are arrays of integers."""
    array = lazy(t, node, value)
    if array.heavy or array.scan is not None:
        array = once(t, node, array)
    chosen = _chosen(t, node, array, node.slice)
    return Lazy(chosen.shape, array.type, lambda index: array.at(chosen.position(t, index)))


def take(t: Tracer, node: ast.expr, array: Lazy, said: Mapping[str, tuple[ast.expr, SymbolicValue]]) -> Lazy:
    """`np.take(array, indices, axis)`."""
    if "indices" not in said:
        t.error(node, "`take` needs indices")
    at, value = said["indices"]
    indices = _numbers(t, at, listed(t, at, value) if isinstance(value, tuple) and value else value)
    rank, axis = len(array.shape), 0
    if "axis" in said:
        named = integers(t, *said["axis"])
        if len(named) != 1:
            t.error(said["axis"][0], "`take` is along one axis")
        (axis,) = normalised(t, node, named, rank)
    elif rank != 1:
        array = ravel(t, node, array, {})
    if array.heavy or array.scan is not None:
        array = once(t, node, array)
    whole = [AxisSlice(Affine(), 1, extent) for extent in array.shape]
    parts: tuple[Part, ...] = (*whole[:axis], (at, indices), *whole[axis + 1 :])
    own = tuple(range(axis, axis + len(indices.shape)))
    require_elements(t, node, (*array.shape[:axis], *array.shape[axis + 1 :]))
    shape = (*array.shape[:axis], *indices.shape, *array.shape[axis + 1 :])
    chosen = Chosen(array, _named(array, node), parts, own, indices.shape, shape)
    return Lazy(shape, array.type, lambda index: array.at(chosen.position(t, index)))


def updated_at(t: Tracer, node: ast.Call, function: np.ufunc, values: Sequence[SymbolicValue]) -> SymbolicValue:
    """`np.add.at(array, indices, values)`: elements are updated as often as they are chosen."""
    name = f"np.{function.__name__}.at"
    if function.__name__ not in UPDATES:
        t.error(node, f"`{name}` is not supported", hint=f"there are {', '.join(f'np.{n}.at' for n in UPDATES)}")
    if len(values) != 3 or node.keywords:
        t.error(node, f"`{name}` needs an array, subscripts and values")
    array = lazy(t, node.args[0], values[0])
    if not is_array(t, values[0]) or array.view is None:
        t.error(node.args[0], f"`{name}` updates `{ast.unparse(node.args[0])}`, which is no array")
    index: ast.expr = given(node.args[1], values[1])
    if isinstance(values[1], tuple) and not isinstance(values[1], ListOf):
        parts: list[ast.expr] = [given(node.args[1], part) for part in values[1]]
        index = ast.copy_location(ast.Tuple(parts, ast.Load()), node.args[1])
    if not has_arrays(t, index):
        t.error(node.args[1], f"`{ast.unparse(node.args[1])}` is no array of subscripts", hint="give integers")
    chosen = _chosen(t, node, array, index)
    value = lazy(t, node.args[2], values[2]) if is_array(t, values[2]) else as_scalar(t, node.args[2], values[2])
    if isinstance(value, Lazy):
        fits(t, node.args[2], array, value)
        value = _fitting(t, node.args[2], chosen, value)
    elif value.type.concrete.kind not in "biu" and array.type.kind in "biu":
        t.error(node.args[2], f"an array of {array.type} cannot take in {value.type.concrete}", hint="convert it")
    _update(t, node, chosen, UPDATES[function.__name__], value)
    return Static(None)


def assigned(t: Tracer, node: ast.Subscript, array: SymbolicValue, value: SymbolicValue) -> None:
    """`array[index] = value`, one element after the other: of several values for an element the last one stays."""
    whole = lazy(t, node, array)
    if whole.view is None:
        t.error(node, f"cannot assign to elements of `{ast.unparse(node.value)}`: it is an expression")
    chosen = _chosen(t, node, whole, node.slice)
    if is_array(t, value):
        _update(t, node, chosen, None, _fitting(t, node, chosen, lazy(t, node, value)))
    else:
        _update(t, node, chosen, None, element(t, node, whole.view.buffer, as_scalar(t, node, value)))


def _fitting(t: Tracer, node: ast.expr, chosen: Chosen, value: Lazy) -> Lazy:
    """Values for elements that are chosen, computed once; refused where their axes do not fit."""
    if len(value.shape) > len(chosen.shape):
        t.error(node, f"values with {len(value.shape)} axes for {len(chosen.shape)} of elements")
    for own, other in zip(chosen.shape[::-1], value.shape[::-1]):
        if other != ONE:
            same_extent(t, node, own, other)
    return once(t, node, value) if value.heavy or value.scan is not None else value


def _update(
    t: Tracer, node: ast.expr, chosen: Chosen, op: str | None, value: Lazy | Scalar, firm: bool = False
) -> None:  # fmt: skip
    """Update all elements (op None: assign to them); what is read of the array itself is read before, and so is what
    decides which elements these are. firm: that has been done."""
    view = chosen.array.view
    assert view is not None
    require_writable(t, node, chosen.array)
    own, apart = [False], [True]
    begun = 0 if t.recorder is None else t.recorder.moment

    def body(index: Index) -> None:
        new = value.at(aligned(value.shape, index)) if isinstance(value, Lazy) else value
        if isinstance(value, Lazy):  # a number has been read before
            own[0] = any(r.buffer == view.buffer for r in reads_of(t.trace, new))
            own[0] = own[0] or (t.recorder is not None and bool(t.recorder.read_since(view.buffer, begun)))
        if not own[0]:
            with noted_reads(t, view.buffer) as decides:
                at = place(view, chosen.position(t, index))
            apart[0] = not decides(at)
        if not own[0] and apart[0]:
            result = new if op is None else t.arithmetic.apply(op, element_at(t, node, view.buffer, at), new)
            assign_at(t, node, view.buffer, at, result, op is None and isinstance(value, Lazy))

    def update() -> bool:
        each(t, node, chosen.shape, body)
        return not own[0] and apart[0]

    if attempted(t, update):
        return
    if not apart[0] and firm:
        t.error(node, f"`{view.buffer}` decides which of its own elements are assigned to", hint="copy it first")
    if apart[0]:
        assert isinstance(value, Lazy)
        _update(t, node, chosen, op, once(t, node, value), firm)
    else:  # all subscripts are read before anything is written
        with firm_condition(t, view.buffer):
            _update(t, node, _firm(t, node, chosen, view), op, value, True)


def _firm(t: Tracer, node: ast.expr, chosen: Chosen, view: View) -> Chosen:
    """The same elements, whatever is written to the arrays that subscripts are read from."""
    parts = tuple((p[0], once(t, node, p[1])) if isinstance(p, tuple) else p for p in chosen.parts)
    if t.recorder is None:
        keep_numbers(t.trace, [*chosen.shape, *(offset for offset, _ in view.axes)], view.buffer)
    return replace(chosen, parts=parts)


# ---------------------------------------------------------------------------------------------------- subscripts


def _chosen(t: Tracer, node: ast.expr, array: Lazy, subscript: ast.expr) -> Chosen:
    parts: list[Part] = []
    places: list[int] = []
    axis = 0
    for part in completed(t, node, subscript, len(array.shape)):
        if isinstance(part, ast.Constant) and part.value is None:
            parts.append(None)
            continue
        if isinstance(part, ast.Slice):
            parts.append(AxisSlice(*slice_of(t, part, array.shape[axis])))
        else:
            places.append(len(parts))
            parts.append((part, _numbers(t, part, t.evaluate(part))))
        axis += 1
    common = broadcast(t, node, [p[1].shape for p in parts if isinstance(p, tuple)])
    together = places == list(range(places[0], places[-1] + 1))
    before = places[0] if together else 0
    others = [ONE if p is None else p.length for p in parts if not isinstance(p, tuple)]
    require_elements(t, node, others)
    if any(isinstance(p, tuple) and not p[1].shape for p in parts):  # a number is looked at beside no elements, too
        require_elements(t, node, common)
    shape = (*others[:before], *common, *others[before:])
    return Chosen(array, _named(array, node), tuple(parts), tuple(range(before, before + len(common))), common, shape)


def _numbers(t: Tracer, node: ast.expr, value: SymbolicValue) -> Lazy:
    """Subscripts, computed once."""
    found = lazy(t, node, value)
    if found.type.concrete.kind not in "iu":
        text = f"subscript `{ast.unparse(node)}` is an array of {found.type.concrete}"
        hint = "choose by np.where, or sum with where=" if found.type.kind == "b" else "convert it with astype"
        t.error(node, text, "only integers say which elements it means", hint)
    return once(t, node, found) if found.heavy or found.scan is not None else found


def _named(array: Lazy, node: ast.expr) -> ArrayRef:
    """What messages call the array that `node` is about."""
    if array.view is not None:
        return ArrayRef(array.view.buffer)
    return ArrayRef(ast.unparse(node.value if isinstance(node, ast.Subscript) else node))
