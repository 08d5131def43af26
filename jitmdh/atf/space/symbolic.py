"""Arithmetic on tuning parameters, kept as an expression instead of being computed.

`N // WPT` on a parameter builds a small tree of frozen nodes. The space generator reads it: it sees which
parameters a constraint depends on, enumerates divisors instead of testing every value, and shares subspaces
that agree on the *value* of `N // WPT` rather than on `WPT`.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.source import Loc

VALUE = "·"
"""Stands for the parameter that owns the constraint, where a callable does not name it (positional-only)."""


class Arithmetic:
    """Operators that build expressions; mixed into `TuningParameter` and every expression node."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy scalars on the left give way to our reflected operators

    def __add__(self, other: object) -> Binary:
        return Binary("+", as_expr(self), as_expr(other))

    def __radd__(self, other: object) -> Binary:
        return Binary("+", as_expr(other), as_expr(self))

    def __sub__(self, other: object) -> Binary:
        return Binary("-", as_expr(self), as_expr(other))

    def __rsub__(self, other: object) -> Binary:
        return Binary("-", as_expr(other), as_expr(self))

    def __mul__(self, other: object) -> Binary:
        return Binary("*", as_expr(self), as_expr(other))

    def __rmul__(self, other: object) -> Binary:
        return Binary("*", as_expr(other), as_expr(self))

    def __truediv__(self, other: object) -> Binary:
        return Binary("/", as_expr(self), as_expr(other))

    def __rtruediv__(self, other: object) -> Binary:
        return Binary("/", as_expr(other), as_expr(self))

    def __floordiv__(self, other: object) -> Binary:
        return Binary("//", as_expr(self), as_expr(other))

    def __rfloordiv__(self, other: object) -> Binary:
        return Binary("//", as_expr(other), as_expr(self))

    def __mod__(self, other: object) -> Binary:
        return Binary("%", as_expr(self), as_expr(other))

    def __rmod__(self, other: object) -> Binary:
        return Binary("%", as_expr(other), as_expr(self))

    def __pow__(self, other: object) -> Binary:
        return Binary("**", as_expr(self), as_expr(other))

    def __rpow__(self, other: object) -> Binary:
        return Binary("**", as_expr(other), as_expr(self))

    def __neg__(self) -> Binary:
        return Binary("-", Const(0), as_expr(self))

    def __lshift__(self, other: object) -> Binary:
        return Binary("<<", as_expr(self), as_expr(other))

    def __rlshift__(self, other: object) -> Binary:
        return Binary("<<", as_expr(other), as_expr(self))

    def __rshift__(self, other: object) -> Binary:
        return Binary(">>", as_expr(self), as_expr(other))

    def __rrshift__(self, other: object) -> Binary:
        return Binary(">>", as_expr(other), as_expr(self))

    # Comparisons are conditions, joined by &, | and ~. `==` and `!=` compare the objects, as dictionaries need it.

    def __lt__(self, other: object) -> Binary:
        return Binary("<", as_expr(self), as_expr(other))

    def __le__(self, other: object) -> Binary:
        return Binary("<=", as_expr(self), as_expr(other))

    def __gt__(self, other: object) -> Binary:
        return Binary(">", as_expr(self), as_expr(other))

    def __ge__(self, other: object) -> Binary:
        return Binary(">=", as_expr(self), as_expr(other))

    def __and__(self, other: object) -> Any:
        return _joined("and", self, other)

    def __rand__(self, other: object) -> Any:
        return _joined("and", other, self)

    def __or__(self, other: object) -> Any:
        return _joined("or", self, other)

    def __ror__(self, other: object) -> Any:
        return _joined("or", other, self)

    def __invert__(self) -> Call:
        return Call("not", (_condition(self, "~"),))

    def _refuse(self) -> Any:
        raise ConfigurationError(
            f"{named(self)} has no value before a configuration is chosen",
            reason="it is an expression; Python asked for its truth (if, and, or, not, a < b < c) or its number.",
            hint="join conditions by & and |, or write a callable: lambda LS, WPT: WPT % LS == 0 and LS < 64",
        )

    __bool__ = __int__ = __float__ = __index__ = _refuse


@dataclass(frozen=True, slots=True)
class Const(Arithmetic):
    """A number, or any other value, that is the same for every configuration."""

    value: Any

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Ref(Arithmetic):
    """The value of the tuning parameter of this name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Binary(Arithmetic):
    """`left op right`; the operators are the keys of `OPERATORS`, plus the short-circuit `and` and `or`."""

    op: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"({self.left} {self.op} {self.right})"


@dataclass(frozen=True, slots=True)
class Call(Arithmetic):
    """A named function of `FUNCTIONS` applied to expressions; comes from tuning directives."""

    function: str
    arguments: tuple[Expr, ...]

    def __str__(self) -> str:
        if self.function == "quotient":
            return f"({self.arguments[0]} / {self.arguments[1]})"
        return f"{self.function}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Apply(Arithmetic):
    """A Python callable applied to parameters; `names` come from its signature."""

    function: Callable[..., Any]
    names: tuple[str, ...]

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name}({', '.join(self.names)})"


Expr: TypeAlias = Const | Ref | Binary | Call | Apply

OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _quotient(a: Any, b: Any) -> Any:
    """Division as in C: integers give an integer (rounded down)."""
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "pow": pow,
    "not": operator.not_,
    "quotient": _quotient,
    "ceil_div": lambda a, b: -(-a // b),
}


def as_expr(value: object) -> Expr:
    """A parameter, expression, callable or plain value as an expression."""
    if isinstance(value, Const | Ref | Binary | Call | Apply):
        return value
    if isinstance(value, Arithmetic):  # a TuningParameter
        return Ref(value.name)  # type: ignore[attr-defined]
    if callable(value) and not isinstance(value, type):
        return apply(value)
    return Const(value)


_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "and", "or"})


def is_condition(expr: Expr) -> bool:
    """Whether the expression says yes or no for each configuration."""
    match expr:
        case Binary():
            return expr.op in _COMPARISONS
        case Call():
            return expr.function == "not"
        case _:
            return isinstance(expr, Apply)


def named(expr: object) -> str:
    """An expression as messages show it: a parameter by its name."""
    return str(as_expr(expr))


def _condition(operand: object, op: str) -> Expr:
    expr = as_expr(operand)
    if not is_condition(expr):
        raise ConfigurationError(
            f"{op} joins conditions, and {expr} is a number",
            hint="for operations on bits use a callable: lambda A: A & 3",
        )
    return expr


def _joined(op: str, left: object, right: object) -> Any:
    """`left & right` or `left | right` of conditions; constraints that are no expressions join themselves."""
    sign = {"and": "&", "or": "|"}[op]
    for operand in (left, right):
        if not isinstance(operand, Arithmetic | int | float) and hasattr(type(operand), "__rand__"):
            return NotImplemented
    return Binary(op, _condition(left, sign), _condition(right, sign))


def apply(function: Callable[..., Any]) -> Apply:
    """`function` with its dependencies read from its signature.

    An argument with a default that names no parameter is a captured constant (`lambda LS, N=N: ...`); the
    generator leaves those at their default. Raises `ConfigurationError` for `*args` and `**kwargs`.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"the signature of the constraint {function!r} cannot be read",
            reason="parameters named in a constraint's signature are its dependencies.",
            hint="wrap it: lambda WPT: your_function(WPT)",
        ) from error
    names = []
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY):
            if p.kind is p.KEYWORD_ONLY and p.default is not p.empty:
                continue
            raise ConfigurationError(
                f"the constraint {function!r} takes {p}, which names no tuning parameter",
                hint="name each tuning parameter it reads as an ordinary argument.",
            )
        if p.kind is p.POSITIONAL_ONLY:
            if p.default is not p.empty:
                break
            names.append(VALUE)
        else:
            names.append(p.name)
    if names.count(VALUE) > 1:
        raise ConfigurationError(
            f"the constraint {function!r} has several positional-only arguments",
            hint="name the tuning parameters: lambda LS, WPT: your_function(LS, WPT)",
        )
    return Apply(function, tuple(names))


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct subexpressions."""
    match expr:
        case Binary():
            return (expr.left, expr.right)
        case Call():
            return expr.arguments
        case Apply():
            return tuple(Ref(name) for name in expr.names)
        case Const() | Ref():
            return ()
        case _:
            assert_never(expr)


def references(expr: Expr) -> Iterator[str]:
    """The names of the parameters that `expr` reads, possibly repeated."""
    if isinstance(expr, Ref):
        yield expr.name
    for child in children(expr):
        yield from references(child)


def bind(expr: Expr, slots: Mapping[Expr, int]) -> Callable[[tuple[Any, ...]], Any]:
    """A function of a tuple of known values; `slots` says which expression's value stands where.

    >>> bind(Binary("//", Const(12), Ref("WPT")), {Ref("WPT"): 0})((4,))
    3
    """
    if expr in slots:
        return operator.itemgetter(slots[expr])
    match expr:
        case Const():
            return lambda state, value=expr.value: value  # type: ignore[misc]
        case Ref():
            raise AssertionError(f"{expr} is not known here")
        case Binary():
            left, right = bind(expr.left, slots), bind(expr.right, slots)
            if expr.op == "and":
                return lambda state: left(state) and right(state)
            if expr.op == "or":
                return lambda state: left(state) or right(state)
            op = OPERATORS[expr.op]
            return lambda state: op(left(state), right(state))
        case Call():
            function, arguments = FUNCTIONS[expr.function], [bind(a, slots) for a in expr.arguments]
            return lambda state: function(*[a(state) for a in arguments])
        case Apply():
            called, places = expr.function, [slots[Ref(name)] for name in expr.names]
            return lambda state: called(*[state[p] for p in places])
        case _:
            assert_never(expr)


def resolve(expr: Expr, own: str, declared: Collection[str]) -> Expr:
    """`expr` with positional-only arguments named `own`, and captured defaults (`N=N`) left to Python."""
    match expr:
        case Const() | Ref():
            return expr
        case Binary():
            return Binary(expr.op, resolve(expr.left, own, declared), resolve(expr.right, own, declared))
        case Call():
            return Call(expr.function, tuple(resolve(a, own, declared) for a in expr.arguments))
        case Apply():
            return _resolved_call(expr, own, declared)
        case _:
            assert_never(expr)


def _resolved_call(call: Apply, own: str, declared: Collection[str]) -> Apply:
    found = inspect.signature(call.function).parameters.values()
    optional = {p.name for p in found if p.default is not p.empty} - set(declared)
    kept = tuple(name for name in call.names if name not in optional)
    function = call.function
    if kept != call.names[: len(kept)]:  # an argument in the middle keeps its default
        function = _by_keyword(function, kept)
    return Apply(function, tuple(own if name == VALUE else name for name in kept))


def _by_keyword(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    return lambda *values: function(**dict(zip(names, values)))


def place_of(expr: Expr) -> Loc | None:
    """Where the first Python callable in an expression is written; None if there is none, or it is not known."""
    if not isinstance(expr, Apply):
        return next((found for child in children(expr) if (found := place_of(child)) is not None), None)
    code = getattr(expr.function, "__code__", None)
    if code is None:
        return None
    line, *columns = code.co_firstlineno, 0, None
    if code.co_name == "<lambda>":
        body = [p for p in code.co_positions() if None not in p and p[2] != p[3] and p[0] == p[1]]
        if body:
            line = min(p[0] for p in body)
            columns = [min(p[2] for p in body if p[0] == line), max(p[3] for p in body if p[0] == line)]
    return Loc(code.co_filename, line, columns[0] or 0, line, columns[1])


def evaluate(expr: object, configuration: Mapping[str, Any]) -> Any:
    """The value of a parameter, expression, callable or constant for one configuration.

    >>> evaluate(Ref("WPT") * 2, {"WPT": 4})
    8
    """
    tree = resolve(as_expr(expr), VALUE, configuration.keys())
    names = tuple(dict.fromkeys(references(tree)))
    if missing := [name for name in names if name not in configuration]:
        raise ConfigurationError(f"{expr} reads {missing[0]}, which the configuration does not have")
    slots: dict[Expr, int] = {Ref(name): i for i, name in enumerate(names)}
    return bind(tree, slots)(tuple(configuration[name] for name in names))
