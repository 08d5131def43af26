"""Differences from Python that docs/numerics.md names, each decided by looking at what Python did."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

MISTAKES = (IndexError, ZeroDivisionError, OverflowError, ValueError)


def explained(program: Any, expected: Any, found: Any, kind: str) -> str:
    """The rule that a difference comes under; "" if there is none."""
    if kind == "other error" and isinstance(found.error, IndexError) and "C long" in str(expected.error):
        return "a subscript beyond 64 bits is an IndexError"
    if kind == "other error" and all(isinstance(e, MISTAKES) for e in (expected.error, found.error)):
        return "of several mistakes another one than Python's first"
    if kind in ("values", "error", "no error") and beyond_64_bits(program):
        return "Python's integers have 64 bits"
    return ""


def beyond_64_bits(program: Any) -> bool:
    """Whether an integer of Python's needs more, anywhere in the plain function: it runs once more, watched."""
    tree = ast.fix_missing_locations(_Watched().visit(ast.parse(program.text)))
    large = list[int]()

    def seen(value: Any) -> Any:
        if type(value) is int and not -(2**63) <= value < 2**63:
            large.append(value)
        return value

    space: dict[str, Any] = {"__name__": "watched_program", "_seen": seen}
    exec(compile(tree, "<watched program>", "exec"), space)
    try:
        with np.errstate(all="ignore"):
            space["program"](*program.call().arguments)
    except Exception:  # the same as before
        pass
    return bool(large)


class _Watched(ast.NodeTransformer):
    """What is computed goes through `_seen`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("_seen", ast.Load()), [node], [])

    visit_UnaryOp: Any = visit_BinOp

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        seen = ast.Call(ast.Name("_seen", ast.Load()), [ast.Name(node.target.id, ast.Load())], [])
        return [node, ast.Expr(seen)]
