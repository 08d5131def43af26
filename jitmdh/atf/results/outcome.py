"""What one evaluation gave: a cost, or the reason why there is none. Invalid configurations are values."""

from __future__ import annotations

import math
from functools import cache
from types import FunctionType
from typing import Any, Generic, TypeAlias, TypeVar

from jitmdh.atf.space.configuration import Configuration
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError
from jitmdh.base.records import dataclass

Cost: TypeAlias = float | tuple[float, ...]
"""Less is better; tuples compare lexicographically (thesis 5.6.1)."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Invalid:
    """A configuration that has no cost, and why; made by `invalid(reason)`."""

    reason: str


class InvalidConfiguration(ConfigurationError):
    """Raised by a cost function before it has changed anything: this configuration cannot run."""


@dataclass(frozen=True, slots=True)
class Measured(Generic[T]):
    """What a call computed together with the cost it measured itself, for `Tuner.make_step`."""

    value: T
    cost: Cost


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One measured configuration: `cost` is None where it is invalid, and `reason` says why.

    seconds: when the cost became known, since tuning began.
    """

    configuration: Configuration
    cost: Cost | None
    reason: str
    seconds: float


def invalid(reason: str) -> Invalid:
    """Returned by a cost function (or told) for a configuration that cannot run."""
    return Invalid(str(reason))


def as_outcome(given: Any) -> Cost | Invalid:
    """A cost from what a cost function returned. Not-a-number and infinity are invalid, not best or worst.

    Raises `ArgumentTypeError` for anything that is no number and no tuple of numbers, and for numbers and tuples of a
    type with an order of its own: here all costs compare as plain ones.
    """
    kind = type(given)
    if kind is float or kind is int:
        if given - given == 0:  # finite
            return given  # type: ignore[no-any-return]
        return Invalid(f"its cost is {given}")
    if kind is Invalid:
        return given  # type: ignore[no-any-return]
    if _has_own_order(kind):  # type: ignore[arg-type]
        raise ArgumentTypeError(
            f"the cost {given!r} has an order of its own, that of {kind.__name__}, which would not be followed",
            reason="costs compare as numbers, tuples of them component by component, and less is better.",
            hint="return float(...) or tuple(...) of it if that order will do, else numbers in the order that you want",
        )
    if isinstance(given, tuple | list) and given:
        parts = [as_outcome(part) for part in given]
        costs = [part for part in parts if isinstance(part, int | float)]
        if len(costs) == len(parts):
            return tuple(costs)
        return next((p for p in parts if isinstance(p, Invalid)), Invalid(f"its cost is {given!r}"))
    if isinstance(given, Measured):  # a step for `Tuner.make_step`, used as a cost function
        return as_outcome(given.cost)
    if given is None or isinstance(given, str | bytes):
        raise ArgumentTypeError(
            f"the cost function returned {given!r}, which is no cost",
            hint="return a number, a tuple of numbers, or atf.invalid(reason)",
        )
    try:
        return as_outcome(float(given))
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"the cost function returned {given!r} of type {kind.__name__}, which is no cost",
            hint="return a number, a tuple of numbers, or atf.invalid(reason)",
        ) from error


def negative(cost: Cost) -> Cost:
    """The same with less for more."""
    return tuple(-part for part in cost) if isinstance(cost, tuple) else -cost


@cache
def _has_own_order(kind: type) -> bool:
    """Whether `<` of a type is written in Python, elsewhere than for `fractions.Fraction`.

    Arrays of one number (of NumPy, JAX, PyTorch) compare like the number.
    """
    owner = next(base for base in kind.__mro__ if "__lt__" in vars(base))
    plain = not isinstance(vars(owner)["__lt__"], FunctionType) or owner.__module__ == "fractions"
    return not plain and not hasattr(kind, "__array__")


def score(cost: Cost | Invalid) -> float:
    """One number per cost, for search techniques: ordered like the costs, infinity where invalid.

    Later components of a tuple only decide among first components that agree to about nine digits.

    >>> score((2.0, 5.0)) < score((2.0, 6.0)) < score((2.1, 0.0))
    True
    """
    if isinstance(cost, Invalid):
        return math.inf
    if not isinstance(cost, tuple):
        return cost
    result, weight = float(cost[0]), 1e-9 * (abs(cost[0]) or 1.0)
    for part in cost[1:]:
        result += weight * part / (1.0 + abs(part))
        weight *= 1e-3
    return result


def dominates(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether `a` is nowhere worse than `b` and somewhere better (thesis 9.3).

    >>> dominates((1, 2), (1, 3)), dominates((1, 3), (2, 2))
    (True, False)
    """
    return a != b and all(x <= y for x, y in zip(a, b))
