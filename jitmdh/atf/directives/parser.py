"""What stands in a tuning directive: ranges, constraints and abort conditions, from tokens to objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitmdh.atf.directives.syntax import Cursor, expression
from jitmdh.atf.space.constraint import (
    Alias,
    Constraint,
    Holds,
    Not,
    as_constraint,
    divides,
    equal,
    greater_than,
    less_than,
    multiple_of,
    unequal,
)
from jitmdh.atf.space.expressions.symbolic import Const, Expr, Ref, evaluate, is_condition, references
from jitmdh.atf.space.ranges import Range, interval, pow_of, values
from jitmdh.atf.tuning import abort

_ALIASES: dict[str, Callable[[object], Alias]] = {
    "divides": divides,
    "multiple_of": multiple_of,
    "less_than": less_than,
    "greater_than": greater_than,
    "equal": equal,
    "unequal": unequal,
}
_UNITS = {"milliseconds": 1e-3, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0}
_TYPES: dict[str, Callable[[Any], Any]] = {"float": float, "double": float, "bool": bool, "string": str}


def value(cursor: Cursor) -> Any:
    """A constant expression."""
    start = cursor.token
    if start.kind == "name" and start.text not in cursor.variables and start.text not in ("true", "false"):
        return cursor.next().text  # an unquoted word
    return _constant(cursor, expression(cursor), "a value")


def _constant(cursor: Cursor, expr: Expr, role: str) -> Any:
    if not isinstance(expr, Const):
        names = ", ".join(sorted(set(references(expr))))
        cursor.fail(f"{role} must not depend on {names}", hint="declare it: #atf::var::N 1024 or #atf::var::N $1")
    return expr.value


def _template(cursor: Cursor) -> str:
    """`<size_t>`, or nothing."""
    if cursor.taken("<") is None:
        return ""
    words = [cursor.name()]
    while cursor.token.kind == "name":
        words.append(cursor.name())
    cursor.expect(">")
    return " ".join(words).removeprefix("std::")


def parameter_range(cursor: Cursor) -> Range:
    """`interval<T>(begin, end, step, generator)`, `set<T>{a, b}`, `values(a, b)` or `{a, b}`."""
    start = cursor.token
    if cursor.lookahead("{"):
        return values(*_items(cursor, "{", "}", ""))
    word = cursor.name().removeprefix("atf::")
    kind = _template(cursor)
    if word == "interval":
        return _interval(cursor, kind)
    if word in ("set", "values"):
        braces = cursor.lookahead("{")
        return values(*_items(cursor, *(("{", "}") if braces else ("(", ")")), kind))
    cursor.fail(f"{word!r} is no range", at=start, hint="interval<int>(1, 16), set<int>{1, 2, 4}")


def _items(cursor: Cursor, opening: str, closing: str, kind: str) -> list[Any]:
    cursor.expect(opening)
    cast = _TYPES.get(kind, lambda item: item)
    items: list[Any] = []
    while not items or cursor.taken(","):
        if "string" in kind and cursor.token.kind == "mark":
            cursor.fail("a text that is no word must be quoted", hint='set<string>{"-O1", "-O2"}')
        items.append(cast(value(cursor)))
    cursor.expect(closing)
    return items


def _interval(cursor: Cursor, kind: str) -> Range:
    cursor.expect("(")
    numbers: list[Any] = []
    generator = None
    while True:
        if len(numbers) >= 2 and (generator := _generator(cursor)) is not None:
            break
        numbers.append(_constant(cursor, expression(cursor), "a bound of an interval"))
        if len(numbers) == 1:
            cursor.expect(",")
        elif len(numbers) == 3 or cursor.taken(",") is None:
            break
    if len(numbers) == 3 and cursor.taken(","):
        generator = _generator(cursor)
        if generator is None:
            cursor.fail("expected a generator here", hint="pow(2), multiple_of(8), (int i){ return 2 * i; }")
    cursor.expect(")")
    if kind in ("float", "double"):
        numbers = [float(n) for n in numbers]
    if kind == "bool":
        return values(*dict.fromkeys(bool(n) for n in numbers))
    begin, end, step = (*numbers, 1)[:3]
    return interval(begin, end, step, generator)


def _generator(cursor: Cursor) -> Callable[[Any], Any] | None:
    if cursor.lambda_follows():
        name, body = _lambda(cursor)
        return lambda i: evaluate(body, {name: i})
    for name, made in (("pow", pow_of), ("pow_of", pow_of), ("multiple_of", multiple_of)):
        for spelled in (name, f"atf::{name}"):
            if cursor.lookahead(spelled, "("):
                cursor.next()
                cursor.expect("(")
                base = _constant(cursor, expression(cursor), "a generator")
                cursor.expect(")")
                return made(base)
    return None


def _lambda(cursor: Cursor) -> tuple[str, Expr]:
    """`(int i){ return expression; }`: the name of the argument, and the expression."""
    cursor.expect("(")
    name = cursor.name()
    while cursor.token.kind == "name":
        name = cursor.name()
    cursor.expect(")")
    cursor.expect("{")
    cursor.expect("return")
    body = expression(cursor, frozenset((name,)))
    cursor.taken(";")
    cursor.expect("}")
    return name, body


def constraint(cursor: Cursor, own: str) -> Constraint:
    """Aliases and lambda functions joined by && and ||; && binds tighter."""
    left = _conjunction(cursor, own)
    while cursor.taken("||"):
        left = left | _conjunction(cursor, own)
    return left


def _conjunction(cursor: Cursor, own: str) -> Constraint:
    left = _single(cursor, own)
    while cursor.taken("&&"):
        left = left & _single(cursor, own)
    return left


def _single(cursor: Cursor, own: str) -> Constraint:
    if cursor.lambda_follows():
        name, body = _lambda(cursor)
        condition = _renamed(body, name, own)
        return as_constraint(condition) if is_condition(condition) else Holds(condition)
    if cursor.taken("!"):
        return Not(_single(cursor, own))
    if cursor.taken("("):
        inner = constraint(cursor, own)
        cursor.expect(")")
        return inner
    start = cursor.token
    word = cursor.name().removeprefix("atf::") if start.kind == "name" else ""
    if word not in _ALIASES:
        known = ", ".join(_ALIASES)
        cursor.fail(f"{start.text!r} is no constraint", at=start, hint=f"{known}, or (int i){{ return i % 2 == 0; }}")
    cursor.expect("(")
    target = expression(cursor)
    cursor.expect(")")
    return _ALIASES[word](target)


def _renamed(expr: Expr, old: str, new: str) -> Expr:
    from jitmdh.atf.space.expressions.symbolic import Binary, FunctionCall

    if isinstance(expr, Ref) and expr.name == old:
        return Ref(new)
    if isinstance(expr, Binary):
        return Binary(expr.op, _renamed(expr.left, old, new), _renamed(expr.right, old, new))
    if isinstance(expr, FunctionCall):
        return FunctionCall(expr.function, tuple(_renamed(a, old, new) for a in expr.arguments))
    return expr


def abort_condition(cursor: Cursor) -> abort.Condition:
    """`duration<minutes>(10) || evaluations(1000)`; && binds tighter."""
    left = _all_of(cursor)
    while cursor.taken("||"):
        left = left | _all_of(cursor)
    return left


def _all_of(cursor: Cursor) -> abort.Condition:
    left = _condition(cursor)
    while cursor.taken("&&"):
        left = left & _condition(cursor)
    return left


def _condition(cursor: Cursor) -> abort.Condition:
    if cursor.taken("("):
        inner = abort_condition(cursor)
        cursor.expect(")")
        return inner
    start = cursor.token
    word = cursor.name().removeprefix("atf::")
    kind = _template(cursor).rpartition("::")[2]
    if kind and kind not in _UNITS:
        cursor.fail(f"{kind!r} is no unit of time", at=start, hint=", ".join(_UNITS))
    numbers = _items(cursor, "(", ")", "")
    expected = 2 if word == "speedup" else 1
    if len(numbers) != expected:
        cursor.fail(f"{word} takes {expected} numbers, not {len(numbers)}", at=start)
    first, last, unit = numbers[0], numbers[-1], _UNITS.get(kind, 1.0)
    match word:
        case "duration":
            return abort.duration(first * unit)
        case "evaluations":
            return abort.evaluations(first)
        case "fraction":
            return abort.fraction(first)
        case "cost":
            return abort.cost(first)
        case "speedup" if kind:
            return abort.speedup(first, seconds=last * unit)
        case "speedup":
            return abort.speedup(first, evaluations=last)
    known = "duration, evaluations, fraction, cost, speedup"
    cursor.fail(f"{word!r} is no abort condition", at=start, hint=known)
