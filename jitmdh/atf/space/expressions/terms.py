"""Operators on tuning parameters: `N // WPT` and `A * B == 64` are terms, computed for each configuration later."""

from __future__ import annotations

from typing import Any

from jitmdh.atf.space.expressions.symbolic import Binary, Const, Expr, FunctionCall, Symbolic, as_expr, is_condition
from jitmdh.base.errors import ConfigurationError


class TermOperators(Symbolic):
    """Operators that build terms; mixed into `TuningParameter` and `Term`.

    `==` and `!=` are conditions, too. So terms are found in dictionaries and lists by identity only.
    """

    __slots__ = ()
    __array_ufunc__ = None  # NumPy scalars on the left give way to our reflected operators

    def made(self, expr: Expr) -> Term:
        """What an operator gives."""
        return Term(expr)

    def __add__(self, other: object) -> Term:
        return self.made(Binary("+", as_expr(self), as_expr(other)))

    def __radd__(self, other: object) -> Term:
        return self.made(Binary("+", as_expr(other), as_expr(self)))

    def __sub__(self, other: object) -> Term:
        return self.made(Binary("-", as_expr(self), as_expr(other)))

    def __rsub__(self, other: object) -> Term:
        return self.made(Binary("-", as_expr(other), as_expr(self)))

    def __mul__(self, other: object) -> Term:
        return self.made(Binary("*", as_expr(self), as_expr(other)))

    def __rmul__(self, other: object) -> Term:
        return self.made(Binary("*", as_expr(other), as_expr(self)))

    def __truediv__(self, other: object) -> Term:
        return self.made(Binary("/", as_expr(self), as_expr(other)))

    def __rtruediv__(self, other: object) -> Term:
        return self.made(Binary("/", as_expr(other), as_expr(self)))

    def __floordiv__(self, other: object) -> Term:
        return self.made(Binary("//", as_expr(self), as_expr(other)))

    def __rfloordiv__(self, other: object) -> Term:
        return self.made(Binary("//", as_expr(other), as_expr(self)))

    def __mod__(self, other: object) -> Term:
        return self.made(Binary("%", as_expr(self), as_expr(other)))

    def __rmod__(self, other: object) -> Term:
        return self.made(Binary("%", as_expr(other), as_expr(self)))

    def __pow__(self, other: object) -> Term:
        return self.made(Binary("**", as_expr(self), as_expr(other)))

    def __rpow__(self, other: object) -> Term:
        return self.made(Binary("**", as_expr(other), as_expr(self)))

    def __lshift__(self, other: object) -> Term:
        return self.made(Binary("<<", as_expr(self), as_expr(other)))

    def __rlshift__(self, other: object) -> Term:
        return self.made(Binary("<<", as_expr(other), as_expr(self)))

    def __rshift__(self, other: object) -> Term:
        return self.made(Binary(">>", as_expr(self), as_expr(other)))

    def __rrshift__(self, other: object) -> Term:
        return self.made(Binary(">>", as_expr(other), as_expr(self)))

    def __neg__(self) -> Term:
        return self.made(Binary("-", Const(0), as_expr(self)))

    def __abs__(self) -> Term:
        return self.made(FunctionCall("abs", (as_expr(self),)))

    # Comparisons are conditions, joined by &, | and ~.

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return self.made(Binary("==", as_expr(self), as_expr(other)))

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return self.made(Binary("!=", as_expr(self), as_expr(other)))

    def __lt__(self, other: object) -> Term:
        return self.made(Binary("<", as_expr(self), as_expr(other)))

    def __le__(self, other: object) -> Term:
        return self.made(Binary("<=", as_expr(self), as_expr(other)))

    def __gt__(self, other: object) -> Term:
        return self.made(Binary(">", as_expr(self), as_expr(other)))

    def __ge__(self, other: object) -> Term:
        return self.made(Binary(">=", as_expr(self), as_expr(other)))

    __hash__ = object.__hash__

    def __and__(self, other: object) -> Any:
        return self.joined("and", self, other)

    def __rand__(self, other: object) -> Any:
        return self.joined("and", other, self)

    def __or__(self, other: object) -> Any:
        return self.joined("or", self, other)

    def __ror__(self, other: object) -> Any:
        return self.joined("or", other, self)

    def __invert__(self) -> Term:
        return self.made(FunctionCall("not", (_condition(self, "~"),)))

    def joined(self, op: str, left: object, right: object) -> Any:
        """`left & right` or `left | right` of conditions; constraints that are no terms join themselves."""
        sign = {"and": "&", "or": "|"}[op]
        for operand in (left, right):
            if not isinstance(operand, TermOperators | int | float) and hasattr(type(operand), "__rand__"):
                return NotImplemented
        return self.made(Binary(op, _condition(left, sign), _condition(right, sign)))

    def _refuse(self) -> Any:
        shown = str(as_expr(self))
        raise ConfigurationError(
            f"{shown} has no value before a configuration is chosen",
            reason="it is an expression; Python asked for its truth (if, and, not, in, min, a < b < c) or number.",
            hint="join conditions by & and |, use atf.minimum and atf.maximum, or write a callable, "
            "which is understood as well: lambda LS, WPT: 1 < LS < 64 and WPT % LS == 0",
        )

    __bool__ = __int__ = __float__ = __index__ = _refuse


class Term(TermOperators):
    """An expression of tuning parameters, as the user builds it."""

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def expression(self) -> Expr:
        """The expression."""
        return self._expr

    def __str__(self) -> str:
        return str(self._expr)

    __repr__ = __str__


def minimum(first: object, *others: object) -> Term:
    """The least of parameters, terms and numbers, for constraints: `minimum(A, B) <= 64`."""
    return Term(FunctionCall("min", tuple(map(as_expr, (first, *others)))))


def maximum(first: object, *others: object) -> Term:
    """The greatest of parameters, terms and numbers, for constraints: `maximum(A, B) <= 64`."""
    return Term(FunctionCall("max", tuple(map(as_expr, (first, *others)))))


def _condition(operand: object, op: str) -> Expr:
    expr = as_expr(operand)
    if not is_condition(expr):
        raise ConfigurationError(
            f"{op} joins conditions, and {expr} is a number",
            hint="for operations on bits use a callable: lambda A: A & 3",
        )
    return expr
