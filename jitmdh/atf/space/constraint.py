"""Constraints: the values a parameter may take, given those of the parameters it names (thesis 5.3.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Number
from typing import Any, Literal, TypeAlias, assert_never

from jitmdh.atf.space.expressions.symbolic import (
    VALUE,
    AppliedCallable,
    Binary,
    Const,
    Expr,
    FunctionCall,
    as_expr,
    evaluate,
    is_condition,
    is_expression,
    place_of,
    references,
)
from jitmdh.atf.space.expressions.tracing import traced
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc

Kind: TypeAlias = Literal["divides", "multiple_of", "less_than", "greater_than", "equal", "unequal"]


class Joinable:
    """`&`, `|` and `~` on constraints; a plain callable on either side is taken as a constraint."""

    __slots__ = ()

    def __and__(self, other: object) -> And:
        return And(as_constraint(self), as_constraint(other))

    def __rand__(self, other: object) -> And:
        return And(as_constraint(other), as_constraint(self))

    def __or__(self, other: object) -> Or:
        return Or(as_constraint(self), as_constraint(other))

    def __ror__(self, other: object) -> Or:
        return Or(as_constraint(other), as_constraint(self))

    def __invert__(self) -> Not:
        return Not(as_constraint(self))

    def __bool__(self) -> bool:
        raise ConfigurationError(
            f"the constraint {self} has no truth value before a configuration is chosen",
            reason="Python asked for it: for `and`, `or` or `not`, or because a callable returned a constraint.",
            hint="join constraints by & and |, and give them without lambda: atf.divides(N // WPT) & atf.less_than(64)",
        )


@dataclass(frozen=True, slots=True)
class Alias(Joinable):
    """One of the thesis's six ready-made constraints against the value of an expression."""

    kind: Kind
    target: Expr

    def __str__(self) -> str:
        return f"{self.kind}({self.target})"

    def __call__(self, i: Any) -> Any:
        """`multiple_of(n)` is also a generator of ranges: i -> n * i."""
        if self.kind != "multiple_of":
            raise ConfigurationError(f"{self} is a constraint, not a generator of values")
        return multiple(self.target, i)


@dataclass(frozen=True, slots=True)
class Holds(Joinable):
    """The expression, usually a user's callable, is true."""

    condition: Expr

    def __str__(self) -> str:
        return str(self.condition)


@dataclass(frozen=True, slots=True)
class And(Joinable):
    """Both hold."""

    left: Constraint
    right: Constraint

    def __str__(self) -> str:
        return f"({self.left} & {self.right})"


@dataclass(frozen=True, slots=True)
class Or(Joinable):
    """At least one holds."""

    left: Constraint
    right: Constraint

    def __str__(self) -> str:
        return f"({self.left} | {self.right})"


@dataclass(frozen=True, slots=True)
class Not(Joinable):
    """It does not hold."""

    operand: Constraint

    def __str__(self) -> str:
        return f"~{self.operand}"


Constraint: TypeAlias = Alias | Holds | And | Or | Not


def divides(n: object) -> Alias:
    """The value divides `n`: a number, expression of parameters, or callable of parameters. 0 never does.

    Where an expression is 0 for some configuration, every other number divides it; `divides(0)` itself, which
    would allow everything, raises `ConfigurationError`.
    """
    return Alias("divides", _number("divides", n, "every number divides 0, so it would allow all values."))


def multiple_of(n: object) -> Alias:
    """The value is a multiple of `n`. Also a generator: `interval(1, 4, generator=multiple_of(8))`.

    `multiple_of(0)`, which only 0 is, raises `ConfigurationError`.
    """
    return Alias("multiple_of", _number("multiple_of", n, "only 0 is a multiple of 0."))


def less_than(n: object) -> Alias:
    """The value is less than `n`."""
    return Alias("less_than", as_expr(n))


def greater_than(n: object) -> Alias:
    """The value is greater than `n`."""
    return Alias("greater_than", as_expr(n))


def equal(n: object) -> Alias:
    """The value equals `n`."""
    return Alias("equal", as_expr(n))


def unequal(n: object) -> Alias:
    """The value differs from `n`."""
    return Alias("unequal", as_expr(n))


def _number(kind: Kind, n: object, if_zero: str) -> Expr:
    """The target of an alias that divides: a constant one must be a number, and not 0."""
    target = as_expr(n)
    if isinstance(target, Const):
        given: Any = target.value
        if not isinstance(given, Number):
            raise ConfigurationError(
                f"{kind}({given!r}): {given!r} is no number",
                hint=f"a number, or an expression of tuning parameters: {kind}(N // WPT)",
            )
        if not given:
            raise ConfigurationError(f"{kind}(0) constrains nothing sensible", reason=if_zero,
                                     hint="is the size that it was computed from right?")  # fmt: skip
    return target


def multiple(target: Expr, i: Any) -> Any:
    """`i`-th multiple of a constant target."""
    names = sorted(set(references(target)))
    if names:
        raise ConfigurationError(
            f"the generator multiple_of({target}) depends on {', '.join(names)}",
            reason="a range is the same for every configuration.",
            hint=f"use it as a constraint: multiple_of({target})",
        )
    return evaluate(target, {}) * i


def as_constraint(value: object) -> Constraint:
    """A constraint, a boolean expression, or any Python callable, as a constraint."""
    if isinstance(value, Alias | Holds | And | Or | Not):
        return value
    if callable(value) and not isinstance(value, type):
        return Holds(as_expr(value))
    if is_expression(value):
        expr = as_expr(value)
        if is_condition(expr):
            return _parts(expr)
        raise ConfigurationError(
            f"{expr} is a number for each configuration, not a constraint",
            hint=f"did you mean atf.divides({expr}), or a comparison such as {expr} <= 64?",
        )
    if isinstance(value, bool):
        raise ConfigurationError(
            f"{value} is not a constraint",
            reason="it says the same for every configuration.",
            hint="a comparison of tuning parameters, LS == 2 * WPT, or a callable: lambda LS, WPT: LS == 2 * WPT",
        )
    raise ConfigurationError(
        f"{value!r} is not a constraint",
        hint="use an alias such as atf.divides(N), or a callable: lambda LS, WPT: WPT % LS == 0",
    )


def _parts(condition: Expr) -> Constraint:
    """A condition as a constraint, taken apart at `and`, `or` and `not`: the generator tests parts early."""
    match condition:
        case Binary(op="and"):
            return And(_parts(condition.left), _parts(condition.right))
        case Binary(op="or"):
            return Or(_parts(condition.left), _parts(condition.right))
        case FunctionCall(function="not"):
            return Not(_parts(condition.arguments[0]))
        case _:
            return Holds(condition)


def understood(constraint: Constraint) -> Constraint:
    """The same constraint with the callables in it read as expressions, where they can be, and taken apart."""
    match constraint:
        case Alias(target=AppliedCallable() as call):
            return Alias(constraint.kind, traced(call))
        case Holds(condition=AppliedCallable() as call):
            return _parts(traced(call))
        case Alias() | Holds():
            return constraint
        case And():
            return And(understood(constraint.left), understood(constraint.right))
        case Or():
            return Or(understood(constraint.left), understood(constraint.right))
        case Not():
            return Not(understood(constraint.operand))
        case _:
            assert_never(constraint)


def expressions(constraint: Constraint) -> Iterator[Expr]:
    """The expressions that the parts of a constraint evaluate."""
    match constraint:
        case Alias():
            yield constraint.target
        case Holds():
            yield constraint.condition
        case And() | Or():
            yield from expressions(constraint.left)
            yield from expressions(constraint.right)
        case Not():
            yield from expressions(constraint.operand)
        case _:
            assert_never(constraint)


def map_expressions(constraint: Constraint, f: Callable[[Expr], Expr]) -> Constraint:
    """The same constraint over `f(expression)`."""
    match constraint:
        case Alias():
            return Alias(constraint.kind, f(constraint.target))
        case Holds():
            return Holds(f(constraint.condition))
        case And():
            return And(map_expressions(constraint.left, f), map_expressions(constraint.right, f))
        case Or():
            return Or(map_expressions(constraint.left, f), map_expressions(constraint.right, f))
        case Not():
            return Not(map_expressions(constraint.operand, f))
        case _:
            assert_never(constraint)


def names(constraint: Constraint) -> frozenset[str]:
    """The parameters a constraint reads, besides the one that owns it where that is not named."""
    return frozenset(n for e in expressions(constraint) for n in references(e) if n != VALUE)


def as_condition(constraint: Constraint, own: Expr) -> Expr:
    """The same as one expression; own: the value of the parameter that the constraint belongs to."""
    match constraint:
        case Alias(kind=kind, target=target):
            return _alias_condition(kind, target, own)
        case Holds():
            return constraint.condition
        case And() | Or():
            op = "and" if isinstance(constraint, And) else "or"
            return Binary(op, as_condition(constraint.left, own), as_condition(constraint.right, own))
        case Not():
            return FunctionCall("not", (as_condition(constraint.operand, own),))
        case _:
            assert_never(constraint)


def _alias_condition(kind: Kind, target: Expr, own: Expr) -> Expr:
    zero = Const(0)
    match kind:
        case "divides":
            return Binary("and", Binary("!=", own, zero), Binary("==", Binary("%", target, own), zero))
        case "multiple_of":
            multiple = Binary("==", Binary("%", own, target), zero)
            return FunctionCall("if", (Binary("==", target, zero), Binary("==", own, zero), multiple))
        case "less_than":
            return Binary("<", own, target)
        case "greater_than":
            return Binary(">", own, target)
        case "equal":
            return Binary("==", own, target)
        case "unequal":
            return Binary("!=", own, target)
        case _:
            assert_never(kind)


def conjuncts(constraint: Constraint) -> Iterator[Constraint]:
    """The parts joined by `&`."""
    if isinstance(constraint, And):
        yield from conjuncts(constraint.left)
        yield from conjuncts(constraint.right)
    else:
        yield constraint


def written_at(constraint: Constraint) -> Loc | None:
    """Where the user wrote the callable of a constraint, for messages; None if it has none."""
    return next((place for expr in expressions(constraint) if (place := place_of(expr)) is not None), None)
