"""Symmetric parameters: of configurations that differ by exchanging them, and cost the same, one is enough.

Which one is said by a constraint as any other, so that the space is not listed first: the values of the first stand
in order before those of the second. Where a constraint holds for one of two such configurations only, that one stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, assert_never

from jitmdh.atf.space.expressions.symbolic import AppliedCallable, Binary, Const, Expr, FunctionCall, Ref

Group = tuple[str, ...]


def in_order(
    groups: Sequence[Group], conditions: Iterable[Expr], ranges: Mapping[str, Sequence[Any]]
) -> Iterator[Expr]:
    """What has to hold of the configurations that stay. groups: parameters that are exchanged with one another;
    conditions: all that holds of a configuration; ranges: the values of each of these parameters."""
    known = {_normal(c): c for c in conditions}
    for first, second in pairwise(groups):
        other = exchange(first, second)
        swapped = [_renamed(c, other) for c in known.values()]
        unknown = [s for s in swapped if _normal(s) not in known]
        order = _before(first, second, ranges)
        if unknown:
            valid = reduce(lambda a, b: Binary("and", a, b), unknown)
            order = Binary("or", order, FunctionCall("not", (valid,)))
        yield order


def exchange(first: Group, second: Group) -> dict[str, str]:
    """The name that takes the place of each."""
    return {**dict(zip(first, second)), **dict(zip(second, first))}


def is_unchanged(condition: Expr, first: Group, second: Group) -> bool:
    """Whether a condition says the same after the exchange."""
    return _normal(condition) == _normal(_renamed(condition, exchange(first, second)))


def _before(first: Group, second: Group, ranges: Mapping[str, Sequence[Any]]) -> Expr:
    """The values of `first` are those of `second`, or smaller at the first difference."""
    left, right = (_placed(group[0], ranges[first[0]]) for group in (first, second))
    if len(first) == 1:
        return Binary("<=", left, right)
    rest = _before(first[1:], second[1:], ranges)
    return Binary("or", Binary("<", left, right), Binary("and", Binary("==", left, right), rest))


def _placed(name: str, values: Sequence[Any]) -> Expr:
    """What says which of two values comes first: a number itself, otherwise its place."""
    if isinstance(values, range) or (
        all(isinstance(v, int | float) for v in values) and all(a < b for a, b in pairwise(values))
    ):
        return Ref(name)
    return AppliedCallable(_place_in(values), (name,))


def _place_in(values: Sequence[Any]) -> Callable[[Any], int]:
    def place(value: Any) -> int:
        return next((n for n, v in enumerate(values) if v is value), -1)

    try:
        return {v: n for n, v in enumerate(values)}.__getitem__
    except TypeError:
        return place


def _renamed(expr: Expr, names: Mapping[str, str]) -> Expr:
    match expr:
        case Const():
            return expr
        case Ref():
            return Ref(names.get(expr.name, expr.name))
        case Binary():
            return Binary(expr.op, _renamed(expr.left, names), _renamed(expr.right, names))
        case FunctionCall():
            return FunctionCall(expr.function, tuple(_renamed(a, names) for a in expr.arguments))
        case AppliedCallable():
            return AppliedCallable(expr.function, tuple(names.get(n, n) for n in expr.names))
        case _:
            assert_never(expr)


_MIRRORED = {">": "<", ">=": "<="}
_EITHER_WAY = frozenset({"+", "*", "==", "!=", "&", "|", "and", "or"})


def _normal(expr: Expr) -> Expr:
    """One of all ways to write it that differ in the order of operands."""
    match expr:
        case Binary():
            left, right, op = _normal(expr.left), _normal(expr.right), expr.op
            if op in _MIRRORED:
                left, right, op = right, left, _MIRRORED[op]
            if op in _EITHER_WAY:
                operands = sorted([*_operands(left, op), *_operands(right, op)], key=_written)
                return reduce(lambda a, b: Binary(op, a, b), operands)
            return Binary(op, left, right)
        case FunctionCall():
            arguments = [_normal(a) for a in expr.arguments]
            return FunctionCall(
                expr.function, tuple(sorted(arguments, key=_written) if expr.function in ("min", "max") else arguments)
            )
        case _:
            return expr


def _operands(expr: Expr, op: str) -> Iterator[Expr]:
    """Sums of sums are one sum; comparisons are not."""
    if isinstance(expr, Binary) and expr.op == op and op not in ("==", "!="):
        yield from _operands(expr.left, op)
        yield from _operands(expr.right, op)
    else:
        yield expr


def _written(expr: Expr) -> tuple[str, str]:
    return str(expr), repr(expr)
