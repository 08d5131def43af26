"""When to stop (thesis 5.6.1): conditions joined by & and |."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Protocol, TypeAlias, assert_never

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass


class Progress(Protocol):
    """What a condition may look at."""

    @property
    def evaluation_count(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def best_score(self) -> float: ...
    @property
    def space_size(self) -> int: ...
    @property
    def improvements(self) -> list[tuple[int, float, float]]: ...


class Joinable:
    """`&` and `|` on conditions."""

    __slots__ = ()

    def __and__(self, other: Condition) -> AllOf:
        return AllOf(_condition(self), _condition(other))

    def __or__(self, other: Condition) -> AnyOf:
        return AnyOf(_condition(self), _condition(other))

    def __rand__(self, other: Condition) -> AllOf:
        return AllOf(_condition(other), _condition(self))

    def __ror__(self, other: Condition) -> AnyOf:
        return AnyOf(_condition(other), _condition(self))

    def __bool__(self) -> bool:
        raise ConfigurationError(
            f"the abort condition {self} has no truth value: it is looked at while tuning",
            hint="join conditions by & and |, not by `and` and `or`",
        )


@dataclass(frozen=True, slots=True)
class Duration(Joinable):
    """Stops after this time."""

    seconds: float

    def __str__(self) -> str:
        return f"duration({self.seconds:g} s)"


@dataclass(frozen=True, slots=True)
class Evaluations(Joinable):
    """Stops after this many evaluations."""

    count: int

    def __str__(self) -> str:
        return f"evaluations({self.count})"


@dataclass(frozen=True, slots=True)
class Fraction(Joinable):
    """Stops after this share of the space."""

    share: float

    def __str__(self) -> str:
        return f"fraction({self.share:g})"


@dataclass(frozen=True, slots=True)
class CostReached(Joinable):
    """Stops at a cost of at most this."""

    limit: float

    def __str__(self) -> str:
        return f"cost({self.limit:g})"


@dataclass(frozen=True, slots=True)
class Speedup(Joinable):
    """Stops when the cost fell by less than `factor` within the last `evaluations`, or the last `seconds`."""

    factor: float
    evaluations: int | None
    seconds: float | None

    def __str__(self) -> str:
        span = f"{self.evaluations} evaluations" if self.seconds is None else f"{self.seconds:g} s"
        return f"speedup({self.factor:g}, {span})"


@dataclass(frozen=True, slots=True)
class Custom(Joinable):
    """Stops when a user's function of the progress says so."""

    function: Callable[[Progress], bool]

    def __str__(self) -> str:
        return str(getattr(self.function, "__name__", self.function))


@dataclass(frozen=True, slots=True)
class AllOf(Joinable):
    """Stops when both conditions hold."""

    left: Condition
    right: Condition

    def __str__(self) -> str:
        return f"({self.left} & {self.right})"


@dataclass(frozen=True, slots=True)
class AnyOf(Joinable):
    """Stops when one of the conditions holds."""

    left: Condition
    right: Condition

    def __str__(self) -> str:
        return f"({self.left} | {self.right})"


Condition: TypeAlias = Duration | Evaluations | Fraction | CostReached | Speedup | Custom | AllOf | AnyOf


def has_duration(condition: Condition) -> bool:
    """Whether time is part of a condition."""
    if isinstance(condition, AllOf | AnyOf):
        return has_duration(condition.left) or has_duration(condition.right)
    return isinstance(condition, Duration)


def satisfied(condition: Condition, progress: Progress) -> bool:
    """Whether tuning should stop now."""
    match condition:
        case Evaluations():
            return progress.evaluation_count >= condition.count
        case Duration():
            return progress.seconds >= condition.seconds
        case Fraction():
            return progress.evaluation_count >= condition.share * progress.space_size
        case CostReached():
            return progress.best_score <= condition.limit
        case Speedup():
            return _stalled(condition, progress)
        case Custom():
            return bool(condition.function(progress))
        case AllOf():
            return satisfied(condition.left, progress) and satisfied(condition.right, progress)
        case AnyOf():
            return satisfied(condition.left, progress) or satisfied(condition.right, progress)
        case _:
            assert_never(condition)


def maximising(condition: Condition) -> Condition:
    """The same condition on the negative of what is maximised."""
    match condition:
        case CostReached(limit):
            return CostReached(-limit)
        case AllOf(left, right):
            return AllOf(maximising(left), maximising(right))
        case AnyOf(left, right):
            return AnyOf(maximising(left), maximising(right))
    return condition


def met(condition: Condition, progress: Progress, maximised: bool = False) -> str:
    """Which part of a condition stopped the tuning, as text. maximised: it is one of `maximising`."""
    if isinstance(condition, AnyOf):
        for part in (condition.left, condition.right):
            if satisfied(part, progress):
                return met(part, progress, maximised)
    return str(maximising(condition) if maximised else condition)


def share_done(condition: Condition, progress: Progress) -> float | None:
    """How far tuning has come, from 0 to 1, as far as time and evaluations tell; None if they do not."""
    match condition:
        case Evaluations():
            done = progress.evaluation_count / condition.count
        case Duration():
            done = progress.seconds / condition.seconds
        case Fraction():
            done = progress.evaluation_count / (condition.share * progress.space_size)
        case AllOf() | AnyOf():
            both = [share_done(part, progress) for part in (condition.left, condition.right)]
            known = [share for share in both if share is not None]
            if not known or (isinstance(condition, AllOf) and len(known) == 1):
                return None
            done = max(known) if isinstance(condition, AnyOf) else min(known)
        case _:
            return None
    return min(1.0, done)


def _stalled(condition: Speedup, progress: Progress) -> bool:
    """`improvements` holds (evaluation count, seconds, score) of each new best: a look-up is a bisection."""
    if condition.evaluations is not None:
        since: float = progress.evaluation_count - condition.evaluations
        place = bisect_right(progress.improvements, since, key=lambda found: found[0])
    else:
        assert condition.seconds is not None
        since = progress.seconds - condition.seconds
        place = bisect_right(progress.improvements, since, key=lambda found: found[1])
    if place == 0:  # nothing valid was known back then
        return False
    before, now = progress.improvements[place - 1][2], progress.best_score
    share = 1 - 1 / condition.factor if before > 0 else condition.factor - 1  # below 0: the negative is maximised
    return before - now < share * abs(before)


def duration(seconds: float = 0.0, *, milliseconds: float = 0.0, minutes: float = 0.0, hours: float = 0.0) -> Duration:
    """Stop after a time: `duration(minutes=10)`."""
    spans = (seconds, milliseconds, minutes, hours)
    if not all(_is_number(span) for span in spans):
        raise ConfigurationError(f"duration: {_first_other(spans)!r} is no time", hint="duration(minutes=10)")
    total = seconds + milliseconds / 1e3 + 60 * minutes + 3600 * hours
    if not total > 0:
        raise ConfigurationError(f"duration: the time must be positive, not {total} seconds")
    return Duration(total)


def evaluations(count: int) -> Evaluations:
    """Stop after this many tested configurations."""
    if not _is_number(count) or not count >= 1 or count != int(count):
        raise ConfigurationError(f"evaluations: the number must be a positive integer, not {count!r}")
    return Evaluations(int(count))


def fraction(share: float) -> Fraction:
    """Stop after this share (0, 1] of the space was tested."""
    if not _is_number(share) or not 0 < share <= 1:
        raise ConfigurationError(f"fraction: the share must lie in (0, 1], not {share!r}")
    return Fraction(share)


def cost(limit: float) -> CostReached:
    """Stop when a configuration of at most this cost (first component of a tuple) is found."""
    if not _is_number(limit) or limit != limit:
        raise ConfigurationError(
            f"cost: the limit must be a number, not {limit!r}",
            hint="of costs with several components the first one is compared",
        )
    return CostReached(float(limit))


@entry
def speedup(
    factor: float,
    *,
    evaluations: int | None = None,
    seconds: float | None = None,
    minutes: float | None = None,
) -> Speedup:
    """Stop when the best cost did not fall by `factor` within the last `evaluations`, or the last time span.

    `speedup(1.01, evaluations=100)`: stop when 100 evaluations brought less than one percent.
    """
    if not all(_is_number(given) for given in (factor, evaluations or 1, seconds or 1, minutes or 1)):
        raise ConfigurationError("speedup: the factor and the span must be numbers")
    if not factor > 1:
        raise ConfigurationError(f"speedup: the factor must be greater than 1, not {factor}")
    spans = [s for s in (seconds, None if minutes is None else 60 * minutes) if s is not None]
    if (evaluations is None) + (not spans) != 1 or len(spans) > 1:
        raise ConfigurationError(
            "speedup: give either evaluations or a time span",
            hint="speedup(1.01, evaluations=100) or speedup(1.01, minutes=5)",
        )
    if (spans and not spans[0] > 0) or (evaluations is not None and evaluations < 1):
        raise ConfigurationError("speedup: the number of evaluations or the time span must be positive")
    return Speedup(float(factor), evaluations, spans[0] if spans else None)


def _is_number(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)


def _first_other(given: Iterable[object]) -> object:
    return next(item for item in given if not _is_number(item))


def _condition(given: object) -> Condition:
    if isinstance(given, Duration | Evaluations | Fraction | CostReached | Speedup | Custom | AllOf | AnyOf):
        return given
    if callable(given) and not isinstance(given, type):
        return Custom(given)
    raise ConfigurationError(
        f"{given!r} is no abort condition", hint="atf.evaluations(1000) | atf.duration(minutes=10)"
    )


def as_condition(given: object) -> Condition:
    """An abort condition, or a function of the progress (evaluation_count, seconds, best_score, ...)."""
    return _condition(given)
