"""`raise` and `assert`: errors of the function's own.

if x.shape[0] != y.shape[0]:       sizes decide: a check before anything runs; such calls run as plain Python, which
    raise ValueError(f"…")         raises what the function raises, with the message that it makes

if total == 0.0:                   data decide: a fault, looked at where the statement stands
    raise ValueError("no weight")
"""

from __future__ import annotations

import ast
import builtins

from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar
from jitmdh.mdh.frontend.interpreter.expressions import condition_of
from jitmdh.mdh.frontend.procedures.run import require
from jitmdh.mdh.frontend.python.tracer import Static, SymbolicValue, Tracer
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.conditions import affine_guard, as_condition
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect

NEVER = Static("behind a raise")
"""What statements return that always raise: nothing behind them is executed."""

_BY_PYTHON = "raise"
_MOST_ALTERNATIVES = 16


def always(body: list[ast.stmt]) -> bool:
    """Whether statements end with a `raise`."""
    return bool(body) and isinstance(body[-1], ast.Raise)


def raised(t: Tracer, node: ast.Raise) -> SymbolicValue:
    """`raise ValueError("…")`, here and under the conditions at hand."""
    if node.exc is None:
        t.error(node, "`raise` without an exception is not supported", hint="name the exception")
    _fail(t, node, *_error(t, node.exc))
    return NEVER


def asserted(t: Tracer, node: ast.Assert) -> SymbolicValue | None:
    """`assert condition, message`."""
    kind, message = "AssertionError", "" if node.msg is None else _text(node.msg)
    wrong = t.arithmetic.negated(condition_of(t, node.test))
    if isinstance(wrong, Constant) and not wrong.value:
        return None
    own = (_BY_PYTHON, "AssertionError is raised") if message is None else (kind, message)
    for part in alternatives(t, wrong):
        with t.where(affine_guard(part), part):
            _fail(t, node, *own)
    return NEVER if isinstance(wrong, Constant) else None


def alternatives(t: Tracer, condition: Scalar) -> list[Scalar]:
    """Conditions of sizes, of which one holds exactly where `condition` does; data decide: `condition` itself."""
    return [as_condition(t.trace, guard) for guard in _guards(t, condition) or ()] or [condition]


def _guards(t: Tracer, condition: Scalar) -> list[tuple[Affine, ...]] | None:
    """The disjunctive normal form; None where data take part, or there were too many."""
    guard = affine_guard(condition)
    if guard is not None or not isinstance(condition, Operation):
        return None if guard is None else [guard]
    parts: list[Scalar] = list(condition.operands)
    match condition.op:
        case "ne":
            left, right = (affine(o) for o in parts)
            if left is None or right is None or has_indirect(left, right):
                return None
            return [(left - right - 1,), (right - left - 1,)]
        case "not" if isinstance(parts[0], Operation) and parts[0].op == "and":
            parts = [t.arithmetic.negated(o) for o in parts[0].operands]
        case "or":
            pass
        case _:
            return None
    found = [_guards(t, o) for o in parts]
    every = [g for guards in found if guards is not None for g in guards]
    return None if None in found or len(every) > _MOST_ALTERNATIVES else every


def _error(t: Tracer, node: ast.expr) -> tuple[str, str]:
    """The name of the exception and its message; those of others than Python's, and texts with values, by Python."""
    called = node.func if isinstance(node, ast.Call) else node
    value = t.evaluate(called)
    kind = value.value if isinstance(value, Static) else None
    if not isinstance(kind, type) or not issubclass(kind, BaseException):
        t.error(node, f"`{ast.unparse(called)}` is no exception", hint="raise ValueError(…), or another of Python's")
    given = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
    text = "" if not given else _text(given[0]) if len(given) == 1 else None
    own: object = getattr(builtins, kind.__name__, None)
    if own is not kind or text is None:
        return _BY_PYTHON, f"{kind.__name__} is raised"
    return kind.__name__, text


def _text(node: ast.expr) -> str | None:
    """A message that is written out."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _fail(t: Tracer, node: ast.stmt, kind: str, message: str) -> None:
    trace = t.trace
    if t.recorder is not None:
        t.recorder.require(node, t.arithmetic.literal(False), message, kind)
    elif trace.condition is None and not trace.block.dims:
        text = message or f"{kind} is raised"
        when = tuple(g + 1 for g in trace.guards)
        trace.checks.append(Check(Affine((), -1), _BY_PYTHON, text, when, t.loc(node)))
    else:
        require(t, node, message, kind)
