"""Which elements of a formula are known to be zero.

Known zeros are absent: a product with one is zero whatever the other factor is, inf and NaN included.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Array, Broadcast, Element, Expr, Literal, Total, free
from jitmdh.mdh.tensor.pattern import Pattern, project, spread

Extents = Mapping[str, int]

_AS_FIRST = frozenset(
    "neg abs negative absolute fabs sqrt cbrt square sin tan arcsin arctan sinh tanh arcsinh expm1 log1p sign "
    "truediv divide true_divide floordiv mod positive conj conjugate".split()
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
            return project([(free(node.body), pattern(node.body, extents))], names, extents)
        case Apply(op, operands):
            if op in ("mul", "multiply"):
                return Pattern(np.broadcast_to(np.logical_and(*(_spread(o, extents, names) for o in operands)), shape))
            if op in _EITHER:
                values = [o for o in operands[1:] if o != Literal(0)] if op == "where" else operands
                if not values:
                    return Pattern(np.zeros(shape, bool))
                either = [np.broadcast_to(_spread(o, extents, names), shape) for o in values]
                return Pattern(np.logical_or.reduce(either))
            if op in _AS_FIRST:
                return Pattern(np.broadcast_to(_spread(operands[0], extents, names), shape))
    return Pattern.dense(shape)


def _spread(node: Expr, extents: Extents, order: tuple[str, ...]) -> Array:
    return spread(pattern(node, extents), free(node), order)
