"""Loops over parts of a range, as tiled code has them.

for i in range(ii, min(ii + 4, n)):      ->      for i in range(ii, ii + 4):
    body                                             if i < n:
                                                         body
"""

from __future__ import annotations

import ast
from collections.abc import Sequence


def clamped(node: ast.For, loops: Sequence[str]) -> ast.For:
    """`node` with `min` in its upper and `max` in its lower bound as conditions of the body.

    Only where such a bound depends on the variables `loops` of outer loops: others are sizes.
    """
    call = node.iter
    if not (isinstance(call, ast.Call) and len(call.args) == 2 and isinstance(node.target, ast.Name)):
        return node
    bounds, tests = [], []
    for bound, function, op in zip(call.args, ("max", "min"), (ast.GtE, ast.Lt)):
        parts = _parts(bound, function, loops)
        bounds.append(parts[0])
        for other in parts[1:]:
            index = ast.copy_location(ast.Name(node.target.id, ast.Load()), other)
            tests.append(ast.copy_location(ast.Compare(index, [op()], [other]), other))
    if not tests:
        return node
    test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.And(), list(tests)), tests[0])
    body: list[ast.stmt] = [ast.copy_location(ast.If(test, node.body, []), node.body[0])]
    part = ast.copy_location(ast.Call(call.func, bounds, []), call)
    return ast.copy_location(ast.For(node.target, part, body, node.orelse), node)


def _parts(bound: ast.expr, function: str, loops: Sequence[str]) -> list[ast.expr]:
    """The arguments of `function` that `bound` is, those that depend on loops first."""
    match bound:
        case ast.Call(ast.Name(name), [_, _, *_] as arguments, []) if name == function:
            ordered = sorted(arguments, key=lambda a: not _mentions(a, loops))
            return ordered if _mentions(ordered[0], loops) else [bound]
    return [bound]


def _mentions(node: ast.expr, names: Sequence[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))
