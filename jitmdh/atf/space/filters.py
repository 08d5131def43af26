"""Which values of a range satisfy a constraint, by the cheapest way that is exact.

Divisors, multiples and bounds are enumerated symbolically; plain callables are tried on a NumPy column;
the rest is tested one value at a time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import isqrt
from operator import index
from typing import Any, assert_never

import numpy as np

from jitmdh.atf.space.constraint import Alias, And, Constraint, Holds, Kind, Not, Or
from jitmdh.atf.space.expressions.symbolic import (
    AppliedCallable,
    Binary,
    Const,
    Expr,
    FunctionCall,
    Ref,
    bind,
    children,
    references,
)
from jitmdh.atf.space.expressions.vectorised_filter import NotColumnwise, as_column, truth

Select = Callable[[Sequence[Any], tuple[Any, ...]], Sequence[Any]]
"""(ordered values, known values) -> the values that hold, in the same order."""

_CHUNK = 1 << 15
WORTH_A_COLUMN = 48
"""Values of a range that are tested faster together than one by one."""


def selector(constraint: Constraint, slots: Mapping[Expr, int], own: Ref) -> Select:
    """The filter of a constraint; `slots` says where known values stand, the candidate `own` comes last."""
    match constraint:
        case Alias():
            target = bind(constraint.target, slots)
            if own.name in references(constraint.target):
                test = TESTS[constraint.kind]
                return lambda values, known: tuple([v for v in values if test(v, target((*known, v)))])
            return _alias(constraint.kind, target)
        case Holds():
            tested = _holds(bind(constraint.condition, slots), _means_the_same(constraint.condition))
            found = _against_own(constraint.condition, own)
            return tested if found is None else _enumerating(found[0], bind(found[1], slots), tested)
        case And():
            first, second = constraint.left, constraint.right
            if isinstance(second, Alias) and not isinstance(first, Alias):
                first, second = second, first  # enumerating is cheap and leaves less to test
            f, g = selector(first, slots, own), selector(second, slots, own)
            return lambda values, known: g(f(values, known), known)
        case Or():
            return _either(selector(constraint.left, slots, own), selector(constraint.right, slots, own))
        case Not():
            return _complement(selector(constraint.operand, slots, own))
        case _:
            assert_never(constraint)


TESTS: Mapping[Kind, Callable[[Any, Any], bool]] = {
    "divides": lambda value, n: bool(value != 0 and n % value == 0),
    "multiple_of": lambda value, n: bool(value % n == 0 if n != 0 else value == 0),
    "less_than": lambda value, n: bool(value < n),
    "greater_than": lambda value, n: bool(value > n),
    "equal": lambda value, n: bool(value == n),
    "unequal": lambda value, n: bool(value != n),
}
"""The meaning of the aliases; everything else here is a faster way to the same values."""


def _alias(kind: Kind, target: Callable[[tuple[Any, ...]], Any]) -> Select:
    test = TESTS[kind]

    def select(values: Sequence[Any], known: tuple[Any, ...]) -> Sequence[Any]:
        n = _integral(target((*known, None)))
        if isinstance(values, range) and type(n) is int and len(values) > 8 and values.step > 0:
            found = _enumerated(kind, values, n)
            if found is not None:
                return found
        return tuple([v for v in values if test(v, n)])

    return select


def _integral(n: Any) -> Any:
    """A Python int for anything that equals one."""
    if type(n) is int:
        return n
    if isinstance(n, float) and n.is_integer():
        return int(n)
    try:
        return index(n)
    except TypeError:
        return n


def _enumerated(kind: Kind, values: range, n: int) -> Sequence[int] | None:
    """The values that satisfy the alias without testing all of them; None where testing is the better way."""
    match kind:
        case "divides":
            if n == 0 or isqrt(abs(n)) > max(4096, len(values) // 8):
                return _tested(values, lambda column: n % column)
            both = [-d for d in reversed(divisors(abs(n)))] if values[0] < 0 else []
            return tuple([d for d in (*both, *divisors(abs(n))) if d in values])
        case "multiple_of":
            if n == 0 or values.step != 1:
                return None
            first = -(-values[0] // abs(n)) * abs(n)
            return range(first, values.stop, abs(n))
        case "less_than":
            return values[: bisect_left(values, n)]
        case "greater_than":
            return values[bisect_right(values, n) :]
        case "equal":
            return (n,) if n in values else ()
        case "unequal":
            return None if n in values else values
        case _:
            assert_never(kind)


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _against_own(condition: Expr, own: Ref) -> tuple[str, Expr] | None:
    """(`op`, E) of a condition `own op E`, where E does not read `own`; `op` may also be divides or multiple_of."""
    match condition:
        case FunctionCall(function="not", arguments=(Binary(op="%") as remainder,)):
            return _against_own(Binary("==", remainder, Const(0)), own)
        case Binary(op="==", left=Binary(op="%", left=left, right=right), right=Const(value=0)) if own in (left, right):
            op, other = ("divides", left) if own == right else ("multiple_of", right)
        case Binary(left=left, right=right) if condition.op in _MIRRORED and own in (left, right):
            op, other = (condition.op, right) if own == left else (_MIRRORED[condition.op], left)
        case _:
            return None
    return None if own.name in references(other) else (op, other)


def _enumerating(op: str, target: Callable[[tuple[Any, ...]], Any], tested: Select) -> Select:
    def select(values: Sequence[Any], known: tuple[Any, ...]) -> Sequence[Any]:
        if isinstance(values, range) and len(values) > 8 and values.step > 0:
            found = _compared(op, values, target((*known, None)))
            if found is not None:
                return found
        return tested(values, known)

    return select


def _compared(op: str, values: range, n: Any) -> Sequence[int] | None:
    """The values v of `v op n`; None where testing is the better way, or would raise."""
    if isinstance(n, float) and n == n and op not in ("divides", "multiple_of"):
        pass
    elif not isinstance(n, int | np.integer):
        return None
    match op:
        case "<":
            return values[: bisect_left(values, n)]
        case "<=":
            return values[: bisect_right(values, n)]
        case ">":
            return values[bisect_right(values, n) :]
        case ">=":
            return values[bisect_left(values, n) :]
        case "==":
            return tuple(values[bisect_left(values, n) : bisect_right(values, n)])
        case "divides" if 0 not in values:
            return _enumerated("divides", values, int(n))
        case "multiple_of" if n != 0:
            return _enumerated("multiple_of", values, int(n))
        case _:
            return None


def _tested(values: range, remainder: Callable[[Any], Any]) -> Sequence[int] | None:
    try:
        return _by_column(values, lambda column: remainder(column) == 0)
    except NotColumnwise:
        return None


@lru_cache(maxsize=4096)
def divisors(n: int) -> tuple[int, ...]:
    """All positive divisors of a positive number, ascending.

    >>> divisors(12)
    (1, 2, 3, 4, 6, 12)
    """
    found, factor, rest = [1], 2, n
    while factor * factor <= rest:
        powers, power = [1], 1
        while rest % factor == 0:
            rest //= factor
            power *= factor
            powers.append(power)
        if len(powers) > 1:
            found = [a * b for a in found for b in powers]
        factor += 1 if factor == 2 else 2
    if rest > 1:
        found += [a * rest for a in found]
    return tuple(sorted(found))


_TELLS_TYPES_APART = frozenset({"isinstance", "type", "id", "hash", "getattr", "hasattr", "callable", "repr"})


def _means_the_same(condition: Expr) -> bool:
    """Whether a column may be tried at all: no look at types, no `try` that could swallow our refusal."""
    if not isinstance(condition, AppliedCallable):
        return not _has_call(condition)
    code = getattr(condition.function, "__code__", None)
    return code is not None and not code.co_exceptiontable and _TELLS_TYPES_APART.isdisjoint(code.co_names)


def _has_call(expr: Expr) -> bool:
    return isinstance(expr, FunctionCall) or any(_has_call(child) for child in children(expr))


def _holds(condition: Callable[[tuple[Any, ...]], Any], columnwise: bool) -> Select:
    def select(values: Sequence[Any], known: tuple[Any, ...]) -> Sequence[Any]:
        nonlocal columnwise
        if columnwise and len(values) >= WORTH_A_COLUMN and isinstance(values, range):
            try:
                kept = _by_column(values, lambda column: condition((*known, column)))
                probes = [values[p] for p in (0, len(values) // 2, len(values) - 1)]
                if all(bool(condition((*known, v))) == _contains(kept, v) for v in probes):
                    return kept
            except (NotColumnwise, TypeError, AttributeError, ValueError, ArithmeticError):
                pass
            columnwise = False
        return tuple([v for v in values if condition((*known, v))])

    return select


def _contains(ascending: tuple[int, ...], value: int) -> bool:
    place = bisect_left(ascending, value)
    return place < len(ascending) and ascending[place] == value


def _by_column(values: range, condition: Callable[[Any], Any]) -> tuple[int, ...]:
    """Chunk by chunk, so that large intervals stay in cache."""
    kept: list[int] = []
    with np.errstate(all="ignore"):
        for start in range(0, len(values), _CHUNK):
            part = values[start : start + _CHUNK]
            if not -(2**62) < part[0] <= part[-1] < 2**62:
                raise NotColumnwise
            numbers = (_numbers if len(part) < 4096 else _fresh_numbers)(part.start, part.stop, part.step)
            kept += numbers[truth(condition(as_column(numbers)), len(part))].tolist()
    return tuple(kept)


@lru_cache(maxsize=256)
def _numbers(start: int, stop: int, step: int) -> np.ndarray[Any, Any]:
    return _fresh_numbers(start, stop, step)


def _fresh_numbers(start: int, stop: int, step: int) -> np.ndarray[Any, Any]:
    numbers = np.arange(start, stop, step, dtype=np.int64)
    numbers.flags.writeable = False
    return numbers


def _either(left: Select, right: Select) -> Select:
    def select(values: Sequence[Any], known: tuple[Any, ...]) -> Sequence[Any]:
        first = _membership(left(values, known))
        rest = tuple([v for v in values if not first(v)])
        second = _membership(right(rest, known))
        return tuple([v for v in values if first(v) or second(v)])

    return select


def _complement(operand: Select) -> Select:
    def select(values: Sequence[Any], known: tuple[Any, ...]) -> Sequence[Any]:
        excluded = _membership(operand(values, known))
        return tuple([v for v in values if not excluded(v)])

    return select


def _membership(values: Sequence[Any]) -> Callable[[Any], bool]:
    if isinstance(values, range):
        return values.__contains__
    try:
        return frozenset(values).__contains__
    except TypeError:
        same = {id(v) for v in values}
        return lambda v: id(v) in same
