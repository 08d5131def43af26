"""Elements that a mask chooses, beyond reductions of them: places, rows, the first and the last.

np.nonzero(c)[0]           the numbers of elements, where c holds: a loop over them is one over all, with an `if`
x[np.nonzero(c)[0] - 1]    elements of x at such numbers, where c holds
X[m, 2]                    X[:, 2][m]
"""

from __future__ import annotations

import ast

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays import compositions
from jitmdh.mdh.frontend.arrays.gathers import gathered
from jitmdh.mdh.frontend.arrays.outputs import chosen_by_mask, mask_of
from jitmdh.mdh.frontend.arrays.reductions import arg_extremum, reduction
from jitmdh.mdh.frontend.arrays.shapes import ravel
from jitmdh.mdh.frontend.arrays.views import is_partial, permuted
from jitmdh.mdh.frontend.python import slices
from jitmdh.mdh.frontend.python.array_expressions import (
    Index,
    converted,
    elementwise,
    is_array,
    lazy,
    may_be_compressed,
    once,
    same_mask,
)
from jitmdh.mdh.frontend.python.subscripts import indirect
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Lazy,
    ListOf,
    Masked,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    given,
    is_scalar,
)
from jitmdh.mdh.frontend.trace_ir.conditions import affine_guard

_SEVERAL = (
    "ix_", "triu_indices", "tril_indices", "diag_indices", "triu_indices_from", "tril_indices_from",
    "diag_indices_from",
)  # fmt: skip
"""Functions that give a subscript for each axis."""

PLACES = ("numpy.nonzero", "numpy.flatnonzero", "numpy.where")
"""Functions that say where the elements of an array are true."""


def places(t: Tracer, node: ast.Call, name: str, value: SymbolicValue) -> SymbolicValue:
    """`np.nonzero(value)` and its like, of a vector."""
    condition = lazy(t, node.args[0], value)
    if name == "numpy.flatnonzero" and len(condition.shape) > 1:
        condition = ravel(t, node, condition, {})
    if len(condition.shape) == 2 and name != "numpy.flatnonzero":
        return compositions.call(t, node, "_nonzero", [condition], {})
    if len(condition.shape) != 1:
        hint = "loop over its rows, or over np.ndindex, with an if inside"
        t.error(
            node, f"`{ast.unparse(node.func)}` of an array with {len(condition.shape)} axes is not supported", hint=hint
        )
    mask = once(t, node, converted(t, node, condition, bool_))
    numbers = Lazy(mask.shape, int64, lambda index: t.trace.graph.index(index[0], int64))
    found = Masked(numbers, mask, node)
    return found if name == "numpy.flatnonzero" else (found,)


def subscripted(t: Tracer, node: ast.Subscript, value: SymbolicValue) -> SymbolicValue | None:
    """`value[…]` where chosen elements are subscripts or are subscripted; None for everything else."""
    if isinstance(value, Masked):
        if ast.unparse(node.slice) in ("0", "-1") or not may_be_compressed(t):
            return _end(t, node, value)
        numbers = (
            t.evaluate(node.slice) if not is_partial(node.slice) and not isinstance(node.slice, ast.Tuple) else None
        )
        if isinstance(numbers, Masked) and numbers.values.type.kind == "b" and same_mask(t, numbers.mask, value.mask):
            both = elementwise(t, node, (value.mask, numbers.values), lambda pair: t.arithmetic.both(*pair))
            return Masked(value.values, both, node.slice)
        array = lazy(t, node, value)
        return t.evaluate(ast.copy_location(ast.Subscript(given(node.value, array), node.slice, node.ctx), node))
    if isinstance(node.slice, ast.Tuple) and node.slice.elts:
        first, *others = node.slice.elts
        if mask_of(t, ast.copy_location(ast.Subscript(node.value, first, node.ctx), node)) is None:
            return _chosen_along(t, node)
        inner: list[ast.expr] = [ast.copy_location(ast.Slice(), first), *others]
        index = ast.copy_location(ast.Tuple(inner, ast.Load()), node.slice)
        whole = ast.copy_location(ast.Subscript(given(node.value, value), index, ast.Load()), node)
        part = t.evaluate(whole)
        return chosen_by_mask(t, ast.copy_location(ast.Subscript(node.value, first, node.ctx), node), part)
    if isinstance(node.slice, ast.Slice | ast.Constant):
        return None
    numbers = t.evaluate(node.slice)
    if not isinstance(numbers, Masked):
        return None
    every = gathered(
        t, ast.copy_location(ast.Subscript(node.value, given(node.slice, numbers.values), node.ctx), node), value
    )

    def at(index: Index) -> Scalar:
        holds = numbers.mask.at(index[:1])
        with t.where(affine_guard(holds), holds):
            return every.at(index)

    return Masked(Lazy(every.shape, every.type, at), numbers.mask, numbers.node)


def mask_along(t: Tracer, node: ast.Subscript) -> tuple[ast.Subscript, int] | None:
    """`X[:, mask]` as `X.T[mask]`, and which axis that is of the result; `X[i, mask]` as `X[i][mask]`; else None.

    What NumPy chooses along a later axis has the same places in memory.
    """
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if all(map(_is_no_mask, parts[1:])):
        return None
    place = next((n for n, part in enumerate(parts) if not isinstance(part, ast.Slice)), 0)
    whole = bool(place)  # slices before it, or numbers
    if not place:
        place = next((n for n, part in enumerate(parts) if n and mask_of(t, _part(node, part)) is not None), 0)
        if not place or any(isinstance(part, ast.Slice) or not is_scalar(t.evaluate(part)) for part in parts[:place]):
            return None
    if any(not isinstance(part, ast.Slice) for part in parts[place + 1 :]):
        return None
    mask, value = mask_of(t, _part(node, parts[place])), t.evaluate(node.value)
    if mask is None or not is_array(t, value) or isinstance(value, Masked):
        return None
    if len(lazy(t, parts[place], mask).shape) != 1 or len(lazy(t, node, value).shape) <= place:
        return None
    every = [*parts[:place], ast.copy_location(ast.Slice(), parts[place]), *parts[place + 1 :]]
    index = ast.copy_location(ast.Tuple(every, ast.Load()), node.slice)
    part = t.evaluate(ast.copy_location(ast.Subscript(given(node.value, value), index, ast.Load()), node))
    turned = lazy(t, node, part)
    if whole:
        turned = permuted(t, turned, [place, *(n for n in range(len(turned.shape)) if n != place)])
    chosen = ast.Subscript(given(node.value, turned), parts[place], node.ctx)
    return ast.copy_location(chosen, node), place if whole else 0


def _is_no_mask(node: ast.expr) -> bool:
    """What is seen to be a slice or a number."""
    if isinstance(node, ast.BinOp):
        return not isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor)
    return isinstance(node, ast.Slice | ast.Constant)


def _part(node: ast.Subscript, part: ast.expr) -> ast.Subscript:
    """The same array with another subscript."""
    return ast.copy_location(ast.Subscript(node.value, part, node.ctx), node)


def _chosen_along(t: Tracer, node: ast.Subscript) -> SymbolicValue | None:
    found = mask_along(t, node)
    if found is None:
        return None
    turned, axis = found
    chosen = chosen_by_mask(t, turned, t.evaluate(turned.value))
    if chosen is None or not axis:
        return chosen
    rank = len(chosen.values.shape)
    return permuted(t, lazy(t, node, chosen), [*range(1, axis + 1), 0, *range(axis + 1, rank)])


def _end(t: Tracer, node: ast.Subscript, chosen: Masked) -> SymbolicValue:
    """The first or the last of chosen elements; IndexError where there is none."""
    index = t.evaluate(node.slice) if not isinstance(node.slice, ast.Slice | ast.Tuple) else None
    if not isinstance(index, Constant) or index.value not in (0, -1) or len(chosen.values.shape) != 1:
        reason = "which elements it means depends on data"
        t.error(
            node,
            f"`{ast.unparse(node)}` of chosen elements is not supported",
            reason,
            "their first is …[0], their last …[-1]",
        )
    mask = once(t, node, chosen.mask)
    length = mask.shape[0]
    last = index.value == -1
    backwards = Lazy(mask.shape, mask.type, (lambda i: mask.at((length - 1 - i[0],))) if last else mask.at)
    none = t.arithmetic.negated(reduction(t, node, "any", mask, (0,), False, None).at(()))
    place = arg_extremum(t, node, "argmax", backwards, (0,), False).at(())
    if last:
        place = t.arithmetic.apply("sub", t.arithmetic.cast(t.arithmetic.index(length - 1), int64), place)
    text = f"index {index.value} is out of bounds for axis 0 with size 0"
    place = t.faulted(node, place, none, "index", text)
    return chosen.values.at((indirect(t, node, ArrayRef(ast.unparse(node.value)), place, length),))


def several(t: Tracer, node: ast.expr) -> list[ast.expr]:
    """`X[np.ix_(rows, columns)]`, or `X[pair]`, as `X[rows, columns]` of arrays, slices and the like."""
    value: SymbolicValue | None
    if isinstance(node, ast.Name):
        value = t.evaluate(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        function = t.evaluate(node.func)
        known = compositions.known(function.value) if isinstance(function, Static) else None
        value = t.evaluate(node) if known in _SEVERAL else None
    else:
        return [node]
    if not isinstance(value, tuple) or isinstance(value, ListOf | Structure):
        return [node]
    if not any(is_array(t, v) or slices.is_subscript(v) for v in value):
        return [node]
    return [given(node, part) for part in value]
