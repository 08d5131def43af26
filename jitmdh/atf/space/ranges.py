"""The values a tuning parameter may take: intervals with step and generator, and explicit sets."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

import numpy as np

from jitmdh.atf.space.expressions.symbolic import is_expression, named
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """`begin`, `begin + step`, ... up to and including `end`, each passed through `generator` if given."""

    begin: Any
    end: Any
    step: Any = 1
    generator: Callable[[Any], Any] | None = None

    def __str__(self) -> str:
        extra = "" if self.step == 1 else f", step={self.step}"
        if self.generator is not None:
            extra += f", generator={getattr(self.generator, '__name__', self.generator)}"
        return f"interval({self.begin}, {self.end}{extra})"

    def sequence(self) -> Sequence[Any]:
        """All values in order; a `range` where that is enough, so large intervals cost nothing."""
        if isinstance(self.begin, int) and isinstance(self.step, int):
            plain: Sequence[Any] = range(self.begin, math.floor(self.end) + 1, self.step)
        else:
            count = math.floor((self.end - self.begin) / self.step * (1 + 1e-12) + 1e-9) + 1
            plain = tuple(self.begin + i * self.step for i in range(count))
        if self.generator is None:
            return plain
        return _generated(self.generator, plain)


def _generated(generator: Callable[[Any], Any], plain: Sequence[Any]) -> Sequence[Any]:
    found = []
    for i in plain:
        try:
            found.append(generator(i))
        except Exception as error:
            raise ConfigurationError(
                f"the generator {getattr(generator, '__name__', generator)} of an interval raised "
                f"{type(error).__name__} for {i}: {error}",
                hint="it is called with each number of the interval, and its results are the parameter's values.",
            ) from error
    try:
        return tuple(dict.fromkeys(found))
    except TypeError:
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Values:
    """Exactly these values, in this order; any type, each once."""

    items: tuple[Any, ...]

    def __str__(self) -> str:
        shown = [repr(item) for item in self.items[:8]]
        return f"values({', '.join(shown)}{', ...' if len(self.items) > 8 else ''})"

    def sequence(self) -> Sequence[Any]:
        """The values, in the order given."""
        return self.items


Range: TypeAlias = Interval | Values


def interval(begin: Any, end: Any, step: Any = 1, generator: Callable[[Any], Any] | None = None) -> Interval:
    """All values from `begin` to `end` (both included) in steps of `step` (thesis 5.6.1).

    With a `generator` the parameter's values are `generator(i)` for each `i`; values generated twice count
    once. Raises `ConfigurationError` if the interval is empty or the step is not positive.

    >>> list(interval(0, 4, generator=pow_of(2)).sequence())
    [1, 2, 4, 8, 16]
    """
    begin, end, step = _plain(begin, "begin"), _plain(end, "end"), _plain(step, "step")
    if not step > 0:
        raise ConfigurationError(f"interval({begin}, {end}): the step must be positive, not {step}")
    if end < begin:
        raise ConfigurationError(
            f"interval({begin}, {end}) is empty: its end lies before its begin",
            hint=f"did you mean interval({end}, {begin})?",
        )
    if generator is not None and not callable(generator):
        raise ConfigurationError(f"interval({begin}, {end}): the generator {generator!r} is not callable")
    return Interval(begin, end, step, generator)


def values(*items: Any) -> Values:
    """Exactly these values: `values(1, 2, 4)`, `values("row", "column")`, `values(True, False)`.

    Raises `ConfigurationError` if there are none, if two are equal (1 and True are), or for one list, which would be
    the only value.
    """
    if len(items) == 1 and isinstance(items[0], list | range | set | frozenset | np.ndarray):
        raise ConfigurationError(
            f"values(...) of one {type(items[0]).__name__}: that would be the only value of the parameter",
            hint="values(*items) for its members; a list of one as the range of the parameter if it is meant so",
        )
    return values_of(items)


def _is_equal(one: Any, other: Any) -> bool:
    try:
        equal = one == other
    except (TypeError, ValueError):
        return one is other
    return bool(equal.all()) if isinstance(equal, np.ndarray) else bool(equal)


def values_of(items: Collection[Any]) -> Values:
    """`values(*items)`, whatever the items are."""
    if not items:
        raise ConfigurationError("no values: a parameter needs at least one")
    seen: dict[Any, Any] = {}
    for position, item in enumerate(items):
        try:
            repeated = item in seen
            seen[item] = item
        except TypeError:  # unhashable
            repeated = any(_is_equal(item, other) for other in tuple(items)[:position])
        if repeated:
            first = next(other for other in items if _is_equal(other, item))
            raise ConfigurationError(f"values(...): {item!r} stands twice (equal to {first!r})")
    return Values(tuple(items))


@dataclass(frozen=True, slots=True, repr=False)
class PowerOf:
    """Generator: i -> base ** i."""

    base: Any

    def __repr__(self) -> str:
        return self.__name__

    def __call__(self, exponent: Any) -> Any:
        return self.base**exponent

    @property
    def __name__(self) -> str:
        return f"pow_of({self.base})"


def pow_of(base: Any) -> PowerOf:
    """Generator of powers: `interval(0, 10, generator=pow_of(2))` is 1, 2, 4, ..., 1024."""
    return PowerOf(base)


def as_range(value: object, name: str) -> Range:
    """What stands for a range: a range, a `range` object, or a list, tuple, set or NumPy vector of values."""
    match value:
        case Interval() | Values():
            return value
        case range() if len(value) > 0 and value.step > 0:
            return interval(value[0], value[-1], value.step)
        case list() | tuple() | range():
            return values_of(value)
        case set() | frozenset():
            return values_of(_ordered(value))
        case np.ndarray() if value.ndim == 1:
            return values_of(value.tolist())
    shown = repr(value) if len(repr(value)) <= 60 else f"an object of type {type(value).__name__}"
    raise ConfigurationError(
        f"parameter {name}: {shown} is not a range",
        hint="use atf.interval(1, 16) or atf.values(1, 2, 4)",
    )


def _ordered(items: Collection[Any]) -> list[Any]:
    """A set in an order that is the same in every process, as far as its members have one."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=lambda item: (str(type(item)), repr(item)))


def _plain(value: Any, role: str) -> Any:
    """A Python number for a Python or NumPy number."""
    if is_expression(value):
        raise ConfigurationError(
            f"interval: {role} is {named(value)}, which depends on tuning parameters",
            reason="a range is the same for every configuration.",
            hint="take the widest range, and a constraint: atf.less_than(...) or atf.greater_than(...)",
        )
    if callable(value) and role == "step":
        raise ConfigurationError(
            f"interval: step must be a number, not {value!r}", hint=f"interval(begin, end, generator={value!r})"
        )
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        number = float("no number" if isinstance(value, str | bytes) else value)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"interval: {role} must be a number, not {value!r}") from error
    if not math.isfinite(number):
        raise ConfigurationError(f"interval: {role} must be finite, not {number}")
    return number
