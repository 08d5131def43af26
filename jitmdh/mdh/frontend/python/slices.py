"""Slices as values: `c = slice(1, n - 1)`, `np.s_[1:-1, ::2]`, and subscripts that such names stand for.

x[c]             x[1:n - 1]
x[np.s_[1:-1]]   x[1:-1]
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from jitmdh.mdh.frontend.python.tracer import Static, Structure, SymbolicValue, Tracer, given

_FIELDS = ("start", "stop", "step")
_NOTHING = Static(None)


def made(bounds: Sequence[SymbolicValue]) -> Structure:
    """`slice(*bounds)`, of one to three."""
    start, stop, step = {1: (_NOTHING, *bounds, _NOTHING), 2: (*bounds, _NOTHING)}.get(len(bounds), tuple(bounds))
    return Structure((start, stop, step), _FIELDS, "slice", False)


def is_slice(value: SymbolicValue) -> bool:
    return isinstance(value, Structure) and value.names == _FIELDS and value.kind == "slice"


def is_subscript(value: SymbolicValue) -> bool:
    """Whether a value is part of a subscript and no number: a slice, an ellipsis, a new axis."""
    return is_slice(value) or (isinstance(value, Static) and (value.value is None or value.value is ...))


def written(node: ast.expr, value: SymbolicValue) -> ast.expr:
    """The subscript that such a value, found in the place of `node`, stands for."""
    if isinstance(value, Static):
        return ast.copy_location(ast.Constant(value.value), node)  # type: ignore[arg-type]
    assert isinstance(value, Structure)
    bounds: list[ast.expr | None] = []
    for name, bound in zip(_FIELDS, value):
        at = ast.copy_location(ast.Attribute(node, name, ast.Load()), node)
        bounds.append(None if isinstance(bound, Static) and bound.value is None else given(at, bound))
    return ast.copy_location(ast.Slice(*bounds), node)


def of_index_expression(t: Tracer, node: ast.Subscript, maker: object) -> SymbolicValue | None:
    """`np.s_[…]` and `np.index_exp[…]`; None for what another object makes of a subscript."""
    if maker is not np.s_ and maker is not np.index_exp:
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = tuple(_part(t, part) for part in parts)
    return found if maker is np.index_exp or isinstance(node.slice, ast.Tuple) else found[0]


def _part(t: Tracer, node: ast.expr) -> SymbolicValue:
    if not isinstance(node, ast.Slice):
        return t.evaluate(node)
    return made([_NOTHING if b is None else t.evaluate(b) for b in (node.lower, node.upper, node.step)])
