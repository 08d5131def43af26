"""Which statements of a function do what others may see: before each of them a call says that it runs now.

    y[0] = 1.0                       seen(); y[0] = 1.0
    n = x.shape[0]            →      n = x.shape[0]
    total += n                       seen(total); total += n       an array would be changed in place

Where it is an error that no loop can be compiled, it has to come before the first of them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any

from jitmdh.mdh.algebra.operations.table import OF_MATH, OF_NUMPY, OPERATIONS
from jitmdh.mdh.frontend.arrays.functions import METHODS
from jitmdh.mdh.frontend.interpreter.builtins import BUILTINS, CONVERSIONS

_MADE = {"zeros", "ones", "empty", "full", "arange", "zeros_like", "ones_like", "empty_like", "full_like"}
_PURE = frozenset({*BUILTINS, *CONVERSIONS, *METHODS, *OF_MATH, *_MADE, "range", "enumerate", "zip", "reversed"})
_BODIES = ("body", "orelse", "finalbody")


def noting(body: Sequence[ast.stmt], name: str, own: frozenset[str]) -> list[ast.stmt]:
    """`body` with calls of the function `name`; own: functions whose calls say so themselves."""
    made: list[ast.stmt] = []
    for statement in body:
        changed = _changed(statement, own)
        if changed is not None:
            call = ast.Call(ast.Name(name, ast.Load()), changed, [])
            made.append(ast.copy_location(ast.Expr(call), statement))
        made.append(_inside(statement, name, own))
    return made


def _inside(statement: Any, name: str, own: frozenset[str]) -> Any:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement
    made = copy.copy(statement)
    for part in _BODIES:
        if getattr(made, part, None):
            setattr(made, part, noting(getattr(made, part), name, own))
    for part in ("handlers", "cases"):
        if getattr(made, part, None):
            setattr(made, part, [_inside(inner, name, own) for inner in getattr(made, part)])
    return made


def _changed(statement: ast.stmt, own: frozenset[str]) -> list[ast.expr] | None:
    """What a statement itself, without those inside of it, may change; [] means anything, None nothing."""
    match statement:
        case ast.Assign(targets=targets) if any(_is_place(t) for t in targets):
            return []
        case ast.AnnAssign(target=target) if _is_place(target):
            return []
        case ast.AugAssign(target=ast.Name(name)) if not _calls(statement, own):
            return [ast.copy_location(ast.Name(name, ast.Load()), statement)]
        case ast.AugAssign() | ast.Delete() | ast.With() | ast.AsyncWith() | ast.AsyncFor() | ast.Import():
            return []
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [] if any(_calls(d, own) for d in statement.decorator_list) else None
        case ast.Try() | ast.TryStar():
            return None
    heads = [n for n in ast.iter_child_nodes(statement) if isinstance(n, ast.expr)]
    return [] if any(_calls(head, own) for head in heads) else None


def _is_place(target: ast.expr) -> bool:
    """Whether an assignment to it is one to a part of something."""
    return any(isinstance(n, ast.Subscript | ast.Attribute) for n in ast.walk(target))


def _calls(node: ast.AST, own: frozenset[str]) -> bool:
    """Whether something is called of which it is not known that it changes nothing."""
    return any(isinstance(n, ast.Await | ast.Yield | ast.YieldFrom) or (
        isinstance(n, ast.Call) and not _is_pure(n, own)) for n in ast.walk(node))  # fmt: skip


def _is_pure(call: ast.Call, own: frozenset[str]) -> bool:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if any(k.arg in ("out", None) for k in call.keywords):
        return False
    if name in OF_NUMPY and len(call.args) > OPERATIONS[OF_NUMPY[name]].arity:
        return False  # the last one is written
    return name in own or name in _PURE or name in OF_NUMPY
