"""Where the elements of array expressions go: `out=`, and assignments to the elements that a mask chooses.

np.add(x, y, out=z)    z[...] = x + y
x[x < 0] = 0           x[...] = np.where(x < 0, 0, x)
"""

from __future__ import annotations

import ast

from jitmdh.base.dtype import int64, is_same_kind
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.arrays.reductions import prefix
from jitmdh.mdh.frontend.arrays.shapes import flat_place, joined
from jitmdh.mdh.frontend.arrays.views import is_partial
from jitmdh.mdh.frontend.python.array_expressions import (
    ONE,
    Index,
    assign_at,
    converted,
    each,
    elementwise,
    is_array,
    lazy,
    once,
    place,
    require,
    same_extent,
    same_mask,
    store,
)
from jitmdh.mdh.frontend.python.subscripts import indirect
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Lazy, Masked, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar


def target(t: Tracer, node: ast.expr, value: SymbolicValue) -> Lazy:
    """The array that `out=` names."""
    if isinstance(value, tuple) and len(value) == 1:
        (value,) = value
    if not is_array(t, value) or lazy(t, node, value).view is None:
        t.error(node, f"out=`{ast.unparse(node)}` is no array", hint="give an array, or a view of one")
    return lazy(t, node, value)


def stored(
    t: Tracer,
    node: ast.AST,
    given: tuple[ast.expr, SymbolicValue],
    out: Lazy,
    value: SymbolicValue,
    *,
    exactly: bool = False,
) -> SymbolicValue:
    """What a function with `out=` returns, its elements stored. exactly: the result must have the shape of out."""
    source = lazy(t, node, value)
    fits(t, given[0], out, source)
    if exactly and len(source.shape) != len(out.shape):
        t.error(given[0], f"out has {_axes(out)}, the result {_axes(source)}")
    for own, other in zip(out.shape[::-1], source.shape[::-1]):
        if exactly and own != other and ONE in (own, other):
            require(t, node, own - other, f"out has an axis of length {own}, the result of {other}")
            require(t, node, other - own, f"out has an axis of length {own}, the result of {other}")
        elif exactly:
            same_extent(t, node, own, other)
    store(t, given[0], out, source)
    return given[1]


def fits(t: Tracer, node: ast.AST, out: Lazy, value: Lazy) -> None:
    """Whether NumPy converts elements of `value` to those of `out` by itself ("same_kind")."""
    to, of = out.type, value.type.concrete
    if not is_same_kind(of, to):
        t.error(node, f"an array of {to} cannot take in {of}", hint="convert it with astype")


# --------------------------------------------------------------------------------------------------------- masks


def mask_of(t: Tracer, node: ast.Subscript) -> SymbolicValue | None:
    """The mask if `node` means the elements where that is true."""
    if is_partial(node.slice) or isinstance(node.slice, (ast.Constant, ast.Tuple)):
        return None
    index = t.evaluate(node.slice)
    if isinstance(index, Masked):
        return None
    return index if is_array(t, index) and lazy(t, node.slice, index).type.kind == "b" else None


def chosen_by_mask(t: Tracer, node: ast.Subscript, value: SymbolicValue) -> Masked | None:
    """`value[mask]`, with a mask of its shape, or of its first axis: what reductions take. None where it is something
    else."""
    mask = mask_of(t, node)
    if mask is None or isinstance(value, Masked):
        return None
    array, condition = lazy(t, node, value), lazy(t, node.slice, mask)
    if len(array.shape) != len(condition.shape) and (len(condition.shape) != 1 or not array.shape):
        return None
    for own, other in zip(array.shape, condition.shape):
        if own != other and ONE in (own, other):
            t.error(node.slice, f"a mask whose axis has length {other} for an axis of {own}")
        same_extent(t, node, own, other)
    return Masked(array, condition, node.slice)


def store_where(
    t: Tracer, node: ast.Subscript, array: SymbolicValue, mask: SymbolicValue, value: SymbolicValue
) -> None:
    """`array[mask] = value`: a number for all, elements that the same mask chooses, or as many as it chooses."""
    if isinstance(value, Masked) and same_mask(t, value.mask, lazy(t, node.slice, mask)):
        select_where(t, node, array, mask, value.values)
    elif is_array(t, value):
        _store_in_order(t, node, array, mask, lazy(t, node, value))
    else:
        select_where(t, node, array, mask, as_scalar(t, node, value))


def _store_in_order(
    t: Tracer, node: ast.Subscript, array: SymbolicValue, mask: SymbolicValue, value: Lazy
) -> None:  # fmt: skip
    """`array[mask] = value`: the elements that the mask chooses take those of a vector, one after the other.

    k = cumsum(mask) - 1;  if mask[i]: array[i] = value[k[i]]      ValueError where there are not as many
    """
    chosen, condition = _fitting_mask(t, node, array, mask)
    given = lazy(t, node.slice, mask)
    if len(given.shape) != len(chosen.shape):
        facts = f"the mask has {_axes(given)}, the array {_axes(chosen)}"
        t.error(node.slice, facts, hint="give the mask the shape of the array, or write a loop")
    if len(value.shape) != 1:
        t.error(node, f"values with {len(value.shape)} axes for elements that a mask chooses", hint="give a vector")
    if value.view is not None and value.view.buffer == chosen.view.buffer:  # type: ignore[union-attr]
        reason = "NumPy reads its elements while others of them are overwritten"
        t.error(node, "elements that a mask chooses are assigned a part of their own array", reason, "copy it before")
    for extent in (value.shape[0] - 2, *(e - 1 for e in chosen.shape)):  # NumPy repeats a single value
        require(t, node, extent, "a single value, or none, for the elements that a mask chooses")
    condition = once(t, node, condition)
    numbers = converted(t, node, condition if len(condition.shape) == 1 else joined(t, node, condition), int64)
    places = once(t, node, prefix(t, node, "cumsum", numbers, 0, None))
    value = once(t, node, value) if value.heavy or value.scan is not None else value

    def counted(index: Index) -> Scalar:
        """An element of the values, an error where they are not as many: computed before anything is stored."""
        count = places.at((numbers.shape[0] - 1,))
        wrong = t.arithmetic.apply("ne", count, t.arithmetic.index(value.shape[0]))
        element = t.arithmetic.cast(value.at(index), value.type.concrete)
        return t.faulted(node, element, wrong, "value", "a mask does not choose as many elements as there are values")

    values = once(t, node, Lazy(value.shape, value.type.concrete, counted))

    def body(index: Index) -> None:
        holds = condition.at(index)
        flat = places.at((flat_place(t, node, index, chosen.shape, places.shape[0]),))
        with t.where(None, holds):
            before = t.arithmetic.apply("sub", flat, t.arithmetic.literal(1))
            k = t.arithmetic.apply("minimum", before, t.arithmetic.index(value.shape[0] - 1))
            new = values.at((indirect(t, node, ArrayRef(ast.unparse(node)), k, value.shape[0]),))
        old = chosen.at(index)
        new = t.arithmetic.select(holds, t.arithmetic.cast(new, old.type), old)
        assert chosen.view is not None
        assign_at(t, node, chosen.view.buffer, place(chosen.view, index), new, True)

    each(t, node, chosen.shape, body)


def _axes(array: Lazy) -> str:
    return f"{len(array.shape)} ax{'i' if len(array.shape) == 1 else 'e'}s"


def select_where(
    t: Tracer, node: ast.Subscript, array: SymbolicValue, mask: SymbolicValue, value: SymbolicValue
) -> None:
    """`array[...] = np.where(mask, value, array)`."""
    chosen, condition = _fitting_mask(t, node, array, mask)

    def new(triple: list[Scalar]) -> Scalar:
        holds, assigned, old = triple
        return t.arithmetic.select(holds, t.arithmetic.cast(assigned, old.type), old)

    store(t, node, chosen, elementwise(t, node, (condition, value, chosen), new))


def _fitting_mask(
    t: Tracer, node: ast.Subscript, array: SymbolicValue, mask: SymbolicValue
) -> tuple[Lazy, Lazy]:  # fmt: skip
    """The array and the mask, which chooses elements, or whole parts along the axes that it does not have."""
    chosen, condition = lazy(t, node, array), lazy(t, node.slice, mask)
    if chosen.view is None:
        t.error(node, f"cannot assign to elements of `{ast.unparse(node.value)}`: it is an expression")
    if len(condition.shape) > len(chosen.shape):
        t.error(node.slice, f"the mask has {_axes(condition)}, the array {_axes(chosen)}")
    for own, other in zip(chosen.shape, condition.shape):
        if own != other and ONE in (own, other):
            t.error(node.slice, f"a mask whose axis has length {other} for an axis of {own}")
        same_extent(t, node, own, other)
    axes = len(condition.shape)
    if axes == len(chosen.shape):
        return chosen, condition
    return chosen, Lazy(chosen.shape, condition.type, lambda index: condition.at(index[:axes]))
