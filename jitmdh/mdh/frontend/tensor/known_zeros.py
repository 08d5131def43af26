"""Which elements of a formula are known to be zero.

Known zeros are absent: a product with one is zero whatever the other factor is, inf and NaN included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Array, Broadcast, Element, Expr, Literal, Total, free
from jitmdh.mdh.tensor.pattern import Pattern, project, spread

Extents = Mapping[str, int]
Names = tuple[str, ...]

_AS_FIRST = frozenset(
    "neg abs negative absolute fabs sqrt cbrt square sin tan arcsin arctan sinh tanh arcsinh expm1 log1p sign "
    "truediv divide true_divide floordiv mod stored virtual positive conj conjugate".split()
)
"""Operations that give zero where their first operand is zero."""

_EITHER = frozenset("add sub subtract maximum minimum fmax fmin where".split())
"""Operations that give zero where all of their operands (of `where`, the last two) are zero."""


def subscripts(element: Element, extents: Extents, order: tuple[str, ...]) -> tuple[Array, ...]:
    """For each axis of the tensor its positions, as arrays with an axis for each index of `order`."""
    grids = {}
    for n, name in enumerate(order):
        grids[name] = np.arange(extents[name]).reshape([-1 if m == n else 1 for m in range(len(order))])
    start = np.zeros((1,) * len(order), np.int64)
    return tuple(sum((c * grids[n] for n, c in axis.terms), start + axis.constant) for axis in element.subscripts)


def pattern(node: Expr, extents: Extents) -> Pattern:
    """Where `node`, whose sums are written out, may be other than zero; an axis for each of its free indices."""
    names = free(node)
    shape = tuple(extents[n] for n in names)
    match node:
        case Element():
            given = node.tensor.pattern
            if given is None or given.is_dense:
                return Pattern.dense(shape)
            return Pattern(np.broadcast_to(given.mask[subscripts(node, extents, names)], shape))
        case Broadcast():
            return Pattern(np.broadcast_to(_spread(node.body, extents, names), shape))
        case Total(operator="add"):
            # Factor by factor: all positions of a product of large matrices would be too many.
            factors = [(free(f), pattern(f, extents)) for f in factors_of(node.body)]
            return project(factors, names, extents)
        case Apply(op, operands):
            known = [(free(o), pattern(o, extents)) for o in operands]
            if op in ("mul", "multiply"):
                return _combined(np.logical_and, known, names, shape)
            if op in _EITHER:
                chosen = slice(1, None) if op == "where" else slice(None)
                values = [k for k, o in zip(known[chosen], operands[chosen]) if op != "where" or o != Literal(0)]
                return _combined(np.logical_or, values, names, shape) if values else Pattern(np.zeros(shape, bool))
            if op in _AS_FIRST:
                return _combined(np.logical_and, known[:1], names, shape)
    return Pattern.dense(shape)


def factors_of(node: Expr) -> list[Expr]:
    """The factors of a product, those of products among them included; of anything else, itself."""
    if not isinstance(node, Apply) or node.op not in ("mul", "multiply"):
        return [node]
    return [f for operand in node.operands for f in factors_of(operand)]


def _combined(
    operation: np.ufunc, known: Sequence[tuple[Names, Pattern]], names: Names, shape: tuple[int, ...]
) -> Pattern:  # fmt: skip
    """Patterns over some of `names` as one over all of them."""
    if all(p.is_dense for _, p in known):
        return Pattern.dense(shape)
    return Pattern(operation.reduce([np.broadcast_to(spread(p, n, names), shape) for n, p in known]))


def _spread(node: Expr, extents: Extents, order: tuple[str, ...]) -> Array:
    return spread(pattern(node, extents), free(node), order)
