"""Conditions that a user gives as a function, as the text that schedules keep."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from typing import Any

from jitmdh.base.calling.entry import entry


def condition_text(condition: str | Callable[..., bool]) -> str:
    """The text of a condition; numbers that a lambda reads from around are written in. ValueError if there is none."""
    if isinstance(condition, str):
        return condition
    code = getattr(condition, "__code__", None)
    if code is None:
        raise ValueError(f"{condition!r} is no condition")
    found = _lambda(code)
    if found is None:
        raise ValueError("the source of the condition is not there, or it is no lambda")
    around = inspect.getclosurevars(condition)
    numbers = {**around.globals, **around.nonlocals}
    return ast.unparse(_Numbers(numbers).visit(found.body))


@entry
def inside(a: str, b: str) -> str:
    """The condition that loop `a` is inside of loop `b`."""
    return f"{a} inside {b}"


def _lambda(code: Any) -> ast.Lambda | None:
    """The syntax of a lambda, from where its code says it is."""
    source = "".join(linecache.getlines(code.co_filename))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    places = [p for p in code.co_positions() if p[0] is not None and p[2]]
    columns = {(line, column) for line, _, column, _ in places}
    names = code.co_varnames[: code.co_argcount]
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and tuple(a.arg for a in node.args.args) == names:
            inner = {(n.lineno, n.col_offset) for n in ast.walk(node.body) if isinstance(n, ast.expr)}
            if columns & inner:
                return node
    return None


class _Numbers(ast.NodeTransformer):
    """Names of whole numbers replaced by these."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        self.numbers = numbers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.numbers.get(node.id)
        return ast.Constant(value) if isinstance(value, int) else node
