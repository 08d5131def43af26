"""A tuning parameter: name, range, constraint (thesis 5.3.1)."""

from __future__ import annotations

from jitmdh.atf.space.constraint import And, Constraint, as_constraint
from jitmdh.atf.space.expressions.symbolic import Expr, Ref
from jitmdh.atf.space.expressions.terms import TermOperators
from jitmdh.atf.space.ranges import Interval, Range, as_range
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class TuningParameter(TermOperators):
    """`(name, range, constraint)`; arithmetic on it, such as `N // WPT`, builds an expression."""

    name: str
    range: Range
    constraint: Constraint | None = None

    def expression(self) -> Expr:
        """Its value, in expressions."""
        return Ref(self.name)

    def __str__(self) -> str:
        constraint = "" if self.constraint is None else f", {self.constraint}"
        return f'tuning_parameter("{self.name}", {self.range}{constraint})'


def tuning_parameter(name: str, range: object, *constraints: object) -> TuningParameter:
    """A parameter with its range and the constraints that all of its values must satisfy.

    `range`: `interval(...)`, `values(...)`, a Python `range`, list or tuple. `constraints`: aliases such as
    `divides(N // WPT)`, comparisons of expressions such as `A * B <= 1024`, joined by `&` and `|`, or callables;
    the parameters that a callable names in its signature are its dependencies, in any order of declaration.
    Raises `ConfigurationError`.

    >>> WPT = tuning_parameter("WPT", range(1, 17), lambda WPT: 16 % WPT == 0)
    >>> print(WPT)
    tuning_parameter("WPT", interval(1, 16), <lambda>(WPT))
    """
    if not isinstance(name, str) or not name:
        raise ConfigurationError(f"a tuning parameter needs a name, not {name!r}")
    try:
        found = as_range(range, name)
        if isinstance(found, Interval) and found.generator is not None:
            found.sequence()  # a generator that fails, fails here
        whole: Constraint | None = None
        for part in [as_constraint(given) for given in constraints if given is not None]:
            whole = part if whole is None else And(whole, part)
    except ConfigurationError as error:
        if error.message.startswith(f"parameter {name}"):
            raise
        raise ConfigurationError(f"parameter {name}: {error.message}", reason=error.reason, hint=error.hint) from None
    return TuningParameter(name, found, whole)
