"""A tuning parameter: name, range, constraint (thesis 5.3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    when: Constraint | None = None
    otherwise: Any = None
    """Its value where `when` does not hold; None: it is not there, and constraints that read it do not apply."""

    @property
    def optional(self) -> bool:
        """Whether there are configurations without it."""
        return self.when is not None and self.otherwise is None

    def domain(self) -> Sequence[Any]:
        """The values that it has in configurations: those of its range, and what it is where `when` does not hold."""
        found = self.range.sequence()
        if self.when is None or self.otherwise in found:
            return found
        return (*found, self.otherwise)

    def expression(self) -> Expr:
        """Its value, in expressions."""
        return Ref(self.name)

    def __str__(self) -> str:
        constraint = "" if self.constraint is None else f", {self.constraint}"
        if self.when is not None:
            constraint += f", when={self.when}"
            constraint += "" if self.otherwise is None else f", otherwise={self.otherwise!r}"
        return f'tuning_parameter("{self.name}", {self.range}{constraint})'


def tuning_parameter(
    name: str, range: object, *constraints: object, when: object = None, otherwise: Any = None
) -> TuningParameter:
    """A parameter with its range and the constraints that all of its values must satisfy.

    `range`: `interval(...)`, `values(...)`, a Python `range`, list or tuple. `constraints`: aliases such as
    `divides(N // WPT)`, comparisons of expressions such as `A * B <= 1024`, joined by `&` and `|`, or callables;
    the parameters that a callable names in its signature are its dependencies, in any order of declaration.
    `when`: a constraint of other parameters; where it does not hold, the parameter has one value, `otherwise`, which
    its range and its constraints say nothing about. Where that is None the parameter is not there: constraints of
    others that read it do not apply either. Raises `ConfigurationError`.

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
        condition = None if when is None else as_constraint(when)
        if condition is None and otherwise is not None:
            raise ConfigurationError("otherwise= needs when=", hint="when=ALGORITHM == 2, otherwise=1")
        if condition is not None and otherwise is None and None in found.sequence():
            raise ConfigurationError("None is in its range, and says that it is not there", hint="otherwise=...")
    except ConfigurationError as error:
        if error.message.startswith(f"parameter {name}"):
            raise
        raise ConfigurationError(f"parameter {name}: {error.message}", reason=error.reason, hint=error.hint) from None
    return TuningParameter(name, found, whole, condition, otherwise)
