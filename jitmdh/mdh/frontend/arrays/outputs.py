"""Where the elements of array expressions go: `out=`, and assignments to the elements that a mask chooses.

np.add(x, y, out=z)    z[...] = x + y
x[x < 0] = 0           x[...] = np.where(x < 0, 0, x)
"""

from __future__ import annotations

import ast

from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.arrays.views import is_partial
from jitmdh.mdh.frontend.python.array_expressions import ONE, elementwise, is_array, lazy, require, same_extent, store
from jitmdh.mdh.frontend.python.tracer import Lazy, Masked, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar

_KINDS = "biufc"


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
    if _KINDS.index(of.kind) > _KINDS.index(to.kind) or (of.kind == "i" and to.kind == "u"):
        t.error(node, f"an array of {to} cannot take in {of}", hint="convert it with astype")


# --------------------------------------------------------------------------------------------------------- masks


def mask_of(t: Tracer, node: ast.Subscript) -> SymbolicValue | None:
    """The mask if `node` means the elements where that is true."""
    if is_partial(node.slice) or isinstance(node.slice, (ast.Constant, ast.Tuple)):
        return None
    index = t.evaluate(node.slice)
    return index if is_array(t, index) and lazy(t, node.slice, index).type.kind == "b" else None


def chosen_by_mask(t: Tracer, node: ast.Subscript, value: SymbolicValue) -> Masked | None:
    """`value[mask]`, with a mask of its shape: what reductions take. None where it is something else."""
    mask = mask_of(t, node)
    if mask is None or isinstance(value, Masked):
        return None
    array, condition = lazy(t, node, value), lazy(t, node.slice, mask)
    if len(array.shape) != len(condition.shape):
        return None
    for own, other in zip(array.shape, condition.shape):
        if own != other and ONE in (own, other):
            t.error(node.slice, f"a mask whose axis has length {other} for an axis of {own}")
        same_extent(t, node, own, other)
    return Masked(array, condition, node.slice)


def store_where(
    t: Tracer, node: ast.Subscript, array: SymbolicValue, mask: SymbolicValue, value: SymbolicValue
) -> None:
    """`array[mask] = value`, one number for all."""
    if is_array(t, value):
        hint = f"choose by np.where: {ast.unparse(node.value)}[:] = np.where({ast.unparse(node.slice)}, …, …)"
        t.error(node, "an array is assigned to the elements that a mask chooses", "how many there are is data", hint)
    select_where(t, node, array, mask, as_scalar(t, node, value))


def _axes(array: Lazy) -> str:
    return f"{len(array.shape)} ax{'i' if len(array.shape) == 1 else 'e'}s"


def select_where(
    t: Tracer, node: ast.Subscript, array: SymbolicValue, mask: SymbolicValue, value: SymbolicValue
) -> None:
    """`array[...] = np.where(mask, value, array)`."""
    chosen, condition = lazy(t, node, array), lazy(t, node.slice, mask)
    if chosen.view is None:
        t.error(node, f"cannot assign to elements of `{ast.unparse(node.value)}`: it is an expression")
    if len(condition.shape) != len(chosen.shape):
        facts = f"the mask has {_axes(condition)}, the array {_axes(chosen)}"
        t.error(node.slice, facts, hint="give the mask the shape of the array, or write a loop")
    for own, other in zip(chosen.shape, condition.shape):
        if own != other and ONE in (own, other):
            t.error(node.slice, f"a mask whose axis has length {other} for an axis of {own}")
        same_extent(t, node, own, other)

    def new(triple: list[Scalar]) -> Scalar:
        holds, assigned, old = triple
        return t.arithmetic.select(holds, t.arithmetic.cast(assigned, old.type), old)

    store(t, node, chosen, elementwise(t, node, (condition, value, chosen), new))
