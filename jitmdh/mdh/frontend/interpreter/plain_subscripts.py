"""Subscripts written out: names and calls among them that stand for slices, new axes or arrays."""

from __future__ import annotations

import ast

from jitmdh.mdh.frontend.arrays import selection
from jitmdh.mdh.frontend.interpreter.evaluation_order import evaluated
from jitmdh.mdh.frontend.python import allocations, slices
from jitmdh.mdh.frontend.python.tracer import ListOf, Tracer, given


def plain_subscript(t: Tracer, node: ast.Subscript, firm: bool = False) -> ast.Subscript:
    """`x[:, np.newaxis]` as `x[:, None]`, `x[[0, 2]]` as `x[np.array([0, 2])]`, and names of slices as the slices.

    What takes more than a look is evaluated here, since what a subscript means is asked several times. firm: all is,
    since something may write before it is used.
    """
    several = node.slice.elts if isinstance(node.slice, ast.Tuple) else selection.several(t, node.slice)
    owner, *parts = evaluated(t, [node.value, *several], firm)
    parts = [_plain_part(t, p) for p in parts]
    before = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if owner is node.value and len(parts) == len(before) and all(a is b for a, b in zip(parts, before)):
        return node
    index = parts[0]
    if isinstance(node.slice, ast.Tuple) or len(parts) > 1:
        index = ast.copy_location(ast.Tuple(parts, ast.Load()), node.slice)
    return ast.copy_location(ast.Subscript(owner, index, node.ctx), node)


def _plain_part(t: Tracer, node: ast.expr) -> ast.expr:
    match node:
        case ast.Name() | ast.List() | ast.Attribute(attr="newaxis"):
            value = t.evaluate(node)
        case ast.Call(ast.Name(name)) if t.means(name, slice):
            value = t.evaluate(node)
        case ast.Subscript(ast.Attribute(attr="s_")):
            value = t.evaluate(node)
        case ast.Subscript(ast.Name(name), ast.Constant()) if isinstance(t.env.get(name), tuple):
            value = t.evaluate(node)
        case _:
            return node
    if slices.is_subscript(value):
        return slices.written(node, value)
    return given(node, allocations.listed(t, node, value)) if isinstance(value, ListOf) else node
