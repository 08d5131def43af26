"""Expressions of tuning parameters, kept instead of being computed.

`N // WPT` on a parameter builds a small tree of frozen nodes (`terms.py`), and so does reading a callable
(`tracing.py`). The space generator reads it: it sees which
parameters a constraint depends on, enumerates divisors instead of testing every value, and shares subspaces
that agree on the *value* of `N // WPT` rather than on `WPT`.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from typing import Any, TypeAlias, assert_never

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc

VALUE = "·"
"""Stands for the parameter that owns the constraint, where a callable does not name it (positional-only)."""


class Symbolic:
    """What stands for an expression in a user's specification: a tuning parameter, or arithmetic on some."""

    __slots__ = ()

    def expression(self) -> Expr:
        """The expression."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A number, or any other value, that is the same for every configuration. 1, 1.0 and True are three constants."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of the tuning parameter of this name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Binary:
    """`left op right`; the operators are the keys of `OPERATORS`, plus the short-circuit `and` and `or`."""

    op: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"({self.left} {self.op} {self.right})"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A named function of `FUNCTIONS` applied to expressions; `if` chooses the second or the third by the first."""

    function: str
    arguments: tuple[Expr, ...]

    def __str__(self) -> str:
        if self.function == "quotient":
            return f"({self.arguments[0]} / {self.arguments[1]})"
        if self.function == "if":
            condition, first, second = self.arguments
            return f"({first} if {condition} else {second})"
        return f"{self.function}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class AppliedCallable:
    """A Python callable applied to parameters; `names` come from its signature."""

    function: Callable[..., Any]
    names: tuple[str, ...]

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name}({', '.join(self.names)})"


Expr: TypeAlias = Const | Ref | Binary | FunctionCall | AppliedCallable

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


def is_expression(value: object) -> bool:
    """Whether it is a node, or stands for one."""
    return isinstance(value, Symbolic | Const | Ref | Binary | FunctionCall | AppliedCallable)


def _quotient(a: Any, b: Any) -> Any:
    """Division as in C: integers give an integer (rounded down)."""
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "pow": pow,
    "not": operator.not_,
    "if": lambda condition, first, second: first if condition else second,
    "quotient": _quotient,
    "ceil_div": lambda a, b: -(-a // b),
}


def as_expr(value: object) -> Expr:
    """A parameter, expression, callable or plain value as an expression."""
    if isinstance(value, Const | Ref | Binary | FunctionCall | AppliedCallable):
        return value
    if isinstance(value, Symbolic):
        return value.expression()
    if callable(value) and not isinstance(value, type):
        return apply(value)
    return Const(value)


_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "and", "or"})


def is_condition(expr: Expr) -> bool:
    """Whether the expression says yes or no for each configuration."""
    match expr:
        case Binary():
            return expr.op in _COMPARISONS
        case FunctionCall():
            return expr.function == "not"
        case _:
            return isinstance(expr, AppliedCallable)


def named(expr: object) -> str:
    """An expression as messages show it: a parameter by its name."""
    return str(as_expr(expr))


def apply(function: Callable[..., Any]) -> AppliedCallable:
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
    return AppliedCallable(function, tuple(names))


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct subexpressions."""
    match expr:
        case Binary():
            return (expr.left, expr.right)
        case FunctionCall():
            return expr.arguments
        case AppliedCallable():
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
        case FunctionCall(function="if"):
            condition, first, second = [bind(a, slots) for a in expr.arguments]
            return lambda state: first(state) if condition(state) else second(state)
        case FunctionCall():
            function, arguments = FUNCTIONS[expr.function], [bind(a, slots) for a in expr.arguments]
            return lambda state: function(*[a(state) for a in arguments])
        case AppliedCallable():
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
        case FunctionCall():
            return FunctionCall(expr.function, tuple(resolve(a, own, declared) for a in expr.arguments))
        case AppliedCallable():
            return _resolved_call(expr, own, declared)
        case _:
            assert_never(expr)


def _resolved_call(call: AppliedCallable, own: str, declared: Collection[str]) -> AppliedCallable:
    found = inspect.signature(call.function).parameters.values()
    optional = {p.name for p in found if p.default is not p.empty} - set(declared)
    kept = tuple(name for name in call.names if name not in optional)
    function = call.function
    if kept != call.names[: len(kept)]:  # an argument in the middle keeps its default
        function = _by_keyword(function, kept)
    return AppliedCallable(function, tuple(own if name == VALUE else name for name in kept))


def _by_keyword(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    return lambda *values: function(**dict(zip(names, values)))


def place_of(expr: Expr) -> Loc | None:
    """Where the first Python callable in an expression is written; None if there is none, or it is not known."""
    if not isinstance(expr, AppliedCallable):
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


@entry
def evaluate(expr: object, configuration: Mapping[str, Any]) -> Any:
    """The value of a parameter, expression, callable or constant for one configuration.

    >>> evaluate(lambda WPT: WPT * 2, {"WPT": 4})
    8
    """
    found = as_expr(expr)
    if isinstance(found, Const) and not isinstance(found.value, Hashable):
        raise ConfigurationError(f"{expr!r} is no expression of tuning parameters")
    tree = resolve(found, VALUE, configuration.keys())
    names = tuple(dict.fromkeys(references(tree)))
    if missing := [name for name in names if name not in configuration]:
        raise ConfigurationError(f"{expr} reads {missing[0]}, which the configuration does not have")
    slots: dict[Expr, int] = {Ref(name): i for i, name in enumerate(names)}
    return bind(tree, slots)(tuple(configuration[name] for name in names))
