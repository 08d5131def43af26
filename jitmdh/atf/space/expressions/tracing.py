"""Callables read as expressions: `lambda WPT: N % WPT == 0` says the same as `divides(N)`.

A callable is run with symbols in place of numbers. Where Python asks for the truth of one (`and`, `or`, `not`, `if`,
`min`, `1 < A < 8`), the callable is run once for each answer, and the results are joined to a conditional
expression. So an expression is found by Python's own rules, or none: whatever else a callable does (a look at types or
identity, an attribute, an import, a function that is not read itself) leaves it opaque, to be called with values.
"""

from __future__ import annotations

import builtins
import dis
from itertools import islice
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from jitmdh.atf.space.expressions.symbolic import AppliedCallable, Binary, Const, Expr, FunctionCall, Ref, references
from jitmdh.atf.space.expressions.terms import TermOperators

_MOST_PATHS, _MOST_DECISIONS, _MOST_OPERATIONS = 128, 64, 20_000

_BUILTINS = frozenset({"abs", "all", "any", "bool", "enumerate", "max", "min", "sum", "zip"})
"""Mean the same on symbols as on numbers: they ask for truth, add and compare."""

_ASIDE = frozenset({"IS_OP", "IMPORT_NAME", "STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "LOAD_ATTR",
                    "LOAD_METHOD", "DELETE_GLOBAL", "DELETE_SUBSCR", "RAISE_VARARGS", "LOAD_ASSERTION_ERROR",
                    "LOAD_BUILD_CLASS"})  # fmt: skip
"""Instructions that tell a symbol from a number, or that others would notice."""


class Opaque(Exception):
    """This callable cannot be read."""


def traced(call: AppliedCallable) -> Expr:
    """The expression that a callable computes; the call itself if it cannot be read."""
    if not _readable(call.function):
        return call
    try:
        found = _Tracer(call).tree(())
        hash(found)
    except Exception:  # whatever is wrong with it shows, with a place, when it is called with values
        return call
    return found if set(references(found)) else call


class _Tracer:
    """Runs a callable once for each way through it."""

    def __init__(self, call: AppliedCallable) -> None:
        self._call = call
        self._paths = self._operations = 0
        self._wanted: tuple[tuple[Expr, bool], ...] = ()
        self._taken: dict[Expr, bool] = {}

    def tree(self, wanted: tuple[tuple[Expr, bool], ...]) -> Expr:
        """The expression, where these conditions have these answers (and the others are true first)."""
        self._paths += 1
        if self._paths > _MOST_PATHS:
            raise Opaque
        self._wanted, self._taken = wanted, {}
        result = self._call.function(*[Symbol(self, Ref(name)) for name in self._call.names])
        found = _as_expr(result)
        taken = tuple(self._taken.items())
        if taken[: len(wanted)] != wanted:
            raise Opaque  # it does not do the same each time
        for place in reversed(range(len(wanted), len(taken))):
            condition = taken[place][0]
            found = _either(condition, found, self.tree((*taken[:place], (condition, False))))
        return found

    def operation(self) -> None:
        """Counts, so that no loop that a symbol drives goes on for ever."""
        self._operations += 1
        if self._operations > _MOST_OPERATIONS:
            raise Opaque

    def decide(self, condition: Expr) -> bool:
        """The truth of a condition on the present way."""
        known = self._taken.get(condition)
        if known is not None:
            return known
        place = len(self._taken)
        if place >= _MOST_DECISIONS:
            raise Opaque
        answer = True
        if place < len(self._wanted):
            expected, answer = self._wanted[place]
            if expected != condition:
                raise Opaque
        self._taken[condition] = answer
        return answer


def _either(condition: Expr, first: Expr, second: Expr) -> Expr:
    """`first if condition else second`, as `and`, `or` and `not` where one of them is a truth value."""
    if _says_yes_or_no(condition):
        first = Const(True) if first == condition else first
        second = Const(False) if second == condition else second
    if first == Const(False) and second == Const(True):
        return FunctionCall("not", (condition,))
    if first == Const(True) and second == Const(False) and _says_yes_or_no(condition):
        return condition
    if second == Const(False) and _says_yes_or_no(first):
        return Binary("and", condition, first)
    if first == Const(False) and _says_yes_or_no(second):
        return Binary("and", FunctionCall("not", (condition,)), second)
    if first == Const(True) and _says_yes_or_no(condition) and _says_yes_or_no(second):
        return Binary("or", condition, second)
    return FunctionCall("if", (condition, first, second))


def _says_yes_or_no(expr: Expr) -> bool:
    """Whether its value is True or False, on numbers."""
    match expr:
        case Binary(op="and" | "or"):
            return _says_yes_or_no(expr.left) and _says_yes_or_no(expr.right)
        case Binary():
            return expr.op in {"<", "<=", ">", ">=", "==", "!="}
        case FunctionCall():
            return expr.function == "not"
        case Const():
            return isinstance(expr.value, bool)
        case _:
            return False


class Symbol(TermOperators):
    """The value of an expression while a callable is read."""

    __slots__ = ("_expr", "_tracer")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tracer: _Tracer, expr: Expr) -> None:
        self._tracer, self._expr = tracer, expr

    def expression(self) -> Expr:
        """The expression."""
        return self._expr

    def made(self, expr: Expr) -> Symbol:  # type: ignore[override]
        """What an operator gives."""
        self._tracer.operation()
        return Symbol(self._tracer, expr)

    def joined(self, op: str, left: object, right: object) -> Symbol:
        """`&` and `|` are operations on bits in a callable."""
        return self.made(Binary({"and": "&", "or": "|"}[op], _as_expr(left), _as_expr(right)))

    def __bool__(self) -> bool:
        return self._tracer.decide(self._expr)

    def _opaque(self, *_: object) -> Any:
        raise Opaque

    __invert__ = __int__ = __float__ = __index__ = __complex__ = _opaque
    __round__ = __trunc__ = __floor__ = __ceil__ = __str__ = __repr__ = __format__ = __getattr__ = _opaque


def _as_expr(value: object) -> Expr:
    if isinstance(value, Symbol):
        return value.expression()
    if not _plain(value):
        raise Opaque
    return Const(value)


def _readable(function: object, depth: int = 0) -> bool:
    """Whether a callable is written in Python, of what means the same on symbols as on numbers."""
    if not isinstance(function, FunctionType) or depth > 8:
        return False
    captured: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            captured[name] = cell.cell_contents
        except ValueError:  # not set yet
            return False
    given = [*captured.values(), *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    if not all(_plain(value) or value is function or _readable(value, depth + 1) for value in given):
        return False
    return all(_harmless(code, function, depth) for code in _codes(function.__code__))


def _codes(code: CodeType) -> list[CodeType]:
    inner = [found for const in code.co_consts if isinstance(const, CodeType) for found in _codes(const)]
    return [code, *inner]


def _harmless(code: CodeType, function: FunctionType, depth: int) -> bool:
    if getattr(code, "co_exceptiontable", b"") and code.co_name != "<genexpr>":
        return False  # `try` could swallow our refusal
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name in _ASIDE or (name == "YIELD_VALUE" and code.co_name != "<genexpr>"):
            return False
        if name in ("LOAD_GLOBAL", "LOAD_NAME") and not _known(instruction.argval, function, depth):
            return False
    return True


def _known(name: str, function: FunctionType, depth: int) -> bool:
    """Whether a global name stands for a plain value, a builtin function of the list, or a readable function."""
    if name in function.__globals__:
        value = function.__globals__[name]
        return _plain(value) or value is function or _readable(value, depth + 1)
    return name in _BUILTINS and hasattr(builtins, name)


def _plain(value: object) -> bool:
    if isinstance(value, tuple | list):
        return len(value) <= 1000 and all(_plain(item) for item in islice(value, 1000))
    return value is None or type(value) in (bool, int, float, str) or isinstance(value, np.generic)
